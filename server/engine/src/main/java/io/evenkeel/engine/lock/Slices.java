package io.evenkeel.engine.lock;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * How much is done in one hold of the engine's lock before others have a turn.
 *
 * @param times begins a slice, which says when its time is up
 * @param pods classes and pods of a group that is built ({@code GroupBuilder})
 */
public record Slices(Supplier<BooleanSupplier> times, int pods) {
    /** How many pods one slice of a build counts: about 10 µs of work. The last slice of a large group takes longer. */
    public static final int PODS = 1024;

    public static final Slices STANDARD = new Slices(TimeSlice::new, PODS);

    /** Begins a slice now. */
    public BooleanSupplier begin() {
        return times.get();
    }
}
