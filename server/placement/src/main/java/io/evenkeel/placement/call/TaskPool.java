package io.evenkeel.placement.call;

import java.util.function.Consumer;

/** A thread pool for the long work of calls. Thread-safe. */
public interface TaskPool {
    /**
     * Runs {@code task} in a thread of the pool, or directly if this thread is one of the pool's. If the pool is full
     * or closed, calls {@code refused} immediately with the reason.
     */
    void execute(Runnable task, Consumer<Throwable> refused);

    /**
     * Runs {@code task} in a thread of the pool, never in this one. It counts towards the share of {@code caller}, not
     * towards that of the caller for which this thread works.
     *
     * @param bytes the size of the request that the task reads
     */
    void later(Object caller, int bytes, Runnable task, Consumer<Throwable> refused);

    /** The caller that this thread works for. Callers are compared with {@code equals}. */
    Object caller();

    /** How many bytes of a waiting request count towards the limit. */
    default int waitingBytes(int bytes) {
        return bytes;
    }
}
