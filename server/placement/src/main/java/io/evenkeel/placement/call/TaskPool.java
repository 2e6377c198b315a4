package io.evenkeel.placement.call;

import java.util.function.Consumer;

/** A thread pool for long work. Thread-safe. */
public interface TaskPool {
    /**
     * Runs {@code task} in a thread of the pool, or directly if this thread is one of the pool's. If the pool is full
     * or closed, calls {@code refused} immediately with the reason.
     */
    void execute(Runnable task, Consumer<Throwable> refused);

    /** Like {@link #execute}, but never in this thread. */
    void later(Runnable task, Consumer<Throwable> refused);

    /** The caller that this thread works for. Callers are compared with {@code equals}. */
    Object caller();

    /**
     * This pool, for tasks that other threads add for the caller of this thread. They count towards that caller's
     * share, not towards the share of the caller that the other thread works for.
     */
    TaskPool forThisCaller();
}
