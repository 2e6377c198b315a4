package io.evenkeel.service;

import io.grpc.Status;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A few threads for what would hold an event loop up, and a bounded queue before them. Safe for use by several threads. */
final class Workers implements AutoCloseable {
    private static final int MOST_WAITING = 10_000;

    private final ThreadPoolExecutor threads;

    Workers() {
        int count = Math.max(2, Runtime.getRuntime().availableProcessors());
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(
                count, count, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(MOST_WAITING), work -> {
                    Thread thread = new Thread(work, "evenkeel-worker-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Has a thread do {@code work}; where there is too much to do already, {@code failed} is told at once. */
    void execute(Runnable work, Consumer<Throwable> failed) {
        try {
            threads.execute(work);
        } catch (RejectedExecutionException e) {
            failed.accept(Status.UNAVAILABLE
                    .withDescription("the server has too much work waiting")
                    .asRuntimeException());
        }
    }

    /** Lets go of what still waits. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
