package io.evenkeel.placement.answer;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Supplier;

/**
 * Things to be used again, whose arrays have grown to what the cluster needs. As many as threads answer at once, rather
 * than one for each thread that ever did. Safe for use by several threads.
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

    /** Not to be used by the giver any more. */
    void give(T thing) {
        // Where there are enough, the collector has it.
        spare.offer(thing);
    }
}
