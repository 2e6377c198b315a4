package io.evenkeel.access;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Reviews tokens in the background, for results that no call is waiting for. At most one review of each token is
 * queued. Thread-safe.
 */
final class BackgroundReviews implements AutoCloseable {
    private final ThreadPoolExecutor askers;

    /** The hashes of tokens whose review is queued or running. */
    private final Set<ByteBuffer> tokens = ConcurrentHashMap.newKeySet();

    /** Requests a review and waits for the result. */
    interface Question {
        void ask() throws InterruptedException;
    }

    /**
     * @param name the name of the threads
     * @param atATime how many reviews run at the same time
     * @param most the capacity of the queue
     */
    BackgroundReviews(String name, int atATime, int most) {
        askers = new ThreadPoolExecutor(atATime, atATime, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(most), task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Queues a review, unless there is one for that token. Returns false if the queue is full. */
    boolean add(byte[] hash, Question question) {
        ByteBuffer token = ByteBuffer.wrap(hash);
        if (!tokens.add(token)) {
            return true;
        }
        try {
            askers.execute(() -> {
                try {
                    question.ask();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    tokens.remove(token);
                }
            });
            return true;
        } catch (RejectedExecutionException full) {
            tokens.remove(token);
            return false;
        }
    }

    @Override
    public void close() {
        askers.shutdownNow();
    }
}
