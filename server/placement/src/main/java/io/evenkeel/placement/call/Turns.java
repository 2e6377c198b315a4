package io.evenkeel.placement.call;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Lets calls work one after another. A call that waits for its turn occupies a thread. Thread-safe. */
public final class Turns {
    /** How often a call that waits checks whether it is stopped. */
    private static final long CHECK_MILLIS = 20;

    private final ReentrantLock turn = new ReentrantLock();
    private final String advice;

    /** @param advice what a caller can do if the server stops, in the imperative */
    public Turns(String advice) {
        this.advice = advice;
    }

    /**
     * Works when it is this call's turn.
     *
     * @throws StoppedException if the call must stop before that
     * @throws RequestException if the server stops before that
     */
    public <T> T take(StopSignal stop, Supplier<T> work) {
        try {
            while (!turn.tryLock(CHECK_MILLIS, TimeUnit.MILLISECONDS)) {
                stop.check();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RequestException.stopping(advice);
        }
        try {
            return work.get();
        } finally {
            turn.unlock();
        }
    }
}
