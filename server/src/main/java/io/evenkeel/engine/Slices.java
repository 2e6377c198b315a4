package io.evenkeel.engine;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * How much is done in one hold of the engine's lock before others have a turn.
 *
 * @param times begins a slice, which says when its time is up
 * @param pods classes and pods of a group that is built ({@link GroupBuilder})
 */
record Slices(Supplier<BooleanSupplier> times, int pods) {
    static final Slices STANDARD = new Slices(TimeSlice::new, GroupBuilder.SLICE);

    /** Begins a slice now. */
    BooleanSupplier begin() {
        return times.get();
    }
}
