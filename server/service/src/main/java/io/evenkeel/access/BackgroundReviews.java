package io.evenkeel.access;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Asks Kubernetes about tokens for whose answers no call waits. Questions wait in a queue, at most one about each
 * token. Safe for use by several threads.
 */
final class BackgroundReviews implements AutoCloseable {
    private final ThreadPoolExecutor askers;

    /** The hashes of tokens about which a question waits, or is asked. */
    private final Set<ByteBuffer> tokens = ConcurrentHashMap.newKeySet();

    /** Asks, and waits for the answer. */
    interface Question {
        void ask() throws InterruptedException;
    }

    /**
     * @param name of the threads
     * @param atATime how many are asked at the same time
     * @param most how many may wait
     */
    BackgroundReviews(String name, int atATime, int most) {
        askers = new ThreadPoolExecutor(atATime, atATime, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(most), task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Has a question asked, unless there is one about that token. Returns false where too many wait already. */
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
