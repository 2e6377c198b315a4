package io.evenkeel.engine.lock;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Limits how much work is done in one hold of the engine's lock before other threads get their turn.
 *
 * @param times begins a slice of time, and returns a test of whether the time is up
 * @param pods how many classes and pods are counted in one slice of a group's build ({@code GroupBuilder})
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
