package io.evenkeel.lab.controlplane;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes many calls to an API server, with as many in flight as it accepts. Thread-safe. */
public final class Calls {
    private final Semaphore room = new Semaphore(ApiServer.IN_FLIGHT);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    public Calls() {}

    /**
     * Makes a call as soon as fewer than the maximum are in flight.
     *
     * @throws CompletionException if an earlier call has failed
     */
    public void submit(Supplier<? extends CompletableFuture<?>> call) throws InterruptedException {
        room.acquire();
        requireWell();
        CompletableFuture<?> unused = call.get().whenComplete((done, failed) -> {
            if (failed != null) {
                failure.compareAndSet(null, failed);
            }
            room.release();
        });
    }

    /**
     * Waits for the calls in flight.
     *
     * @throws CompletionException if a call has failed
     */
    public void await() throws InterruptedException {
        room.acquire(ApiServer.IN_FLIGHT);
        room.release(ApiServer.IN_FLIGHT);
        requireWell();
    }

    private void requireWell() {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new CompletionException(failed);
        }
    }
}
