package io.evenkeel.placement.answer;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Supplier;

/**
 * A pool of reusable objects whose arrays have grown to the size that the cluster needs. It holds about as many objects
 * as threads answer concurrently, not one for each thread that ever answered. Thread-safe.
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

    /** Returns an object to the pool. The caller must not use it afterwards. */
    void give(T thing) {
        // If the pool is full, the object is garbage.
        spare.offer(thing);
    }
}
