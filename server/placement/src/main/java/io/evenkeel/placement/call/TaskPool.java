package io.evenkeel.placement.call;

import java.util.function.Consumer;

/** Threads for work that takes long. Safe for use by several threads. */
public interface TaskPool {
    /**
     * Has a thread do {@code task}: another one, or this one where it is there for such work. Where the pool takes no
     * more, {@code refused} is told why, at once.
     */
    void execute(Runnable task, Consumer<Throwable> refused);

    /** As {@link #execute}, but never on this thread. */
    void later(Runnable task, Consumer<Throwable> refused);
}
