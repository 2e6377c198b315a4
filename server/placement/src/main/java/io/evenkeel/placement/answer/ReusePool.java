package io.evenkeel.placement.answer;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Supplier;

/**
 * A pool of objects to be used again, whose arrays have grown to the size that the cluster needs. It holds about as
 * many as threads answer at the same time, not one for each thread that ever answered. Safe for use by several threads.
 */
public final class ReusePool<T> {
    private static final int PER_PROCESSOR = 2;

    private final ArrayBlockingQueue<T> spare =
            new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors() * PER_PROCESSOR);
    private final Supplier<T> maker;

    public ReusePool(Supplier<T> maker) {
        this.maker = maker;
    }

    T take() {
        T thing = spare.poll();
        return thing == null ? maker.get() : thing;
    }

    /** Gives an object back. The caller must not use it afterwards. */
    void give(T thing) {
        // Where the pool is full, the object is left to the garbage collector.
        spare.offer(thing);
    }
}
