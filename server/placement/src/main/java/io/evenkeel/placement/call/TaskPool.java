package io.evenkeel.placement.call;

import java.util.function.Consumer;

/** A pool of threads for work that takes long. Safe for use by several threads. */
public interface TaskPool {
    /**
     * Runs {@code task} in a thread of the pool; in this thread, if it belongs to the pool for such work. Where the
     * pool is full, or closed, {@code refused} is called at once with the reason.
     */
    void execute(Runnable task, Consumer<Throwable> refused);

    /** As {@link #execute}, but never in this thread. */
    void later(Runnable task, Consumer<Throwable> refused);

    /** The caller for whom this thread works. Callers are told apart by {@code equals}. */
    Object caller();

    /**
     * This pool, for tasks that other threads add for the caller of this thread. They take the turn of that caller, not
     * of whomever the other thread works for.
     */
    TaskPool forThisCaller();
}
