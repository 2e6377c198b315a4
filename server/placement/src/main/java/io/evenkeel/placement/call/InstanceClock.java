package io.evenkeel.placement.call;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The clocks of an instance.
 *
 * @param nanos monotonic nanoseconds from any origin
 * @param wall the wall clock
 */
public record InstanceClock(LongSupplier nanos, InstantSource wall) {
    public static final InstanceClock SYSTEM = new InstanceClock(System::nanoTime, InstantSource.system());

    /** Converts values of {@link #nanos} to the time of day. The result always maps equal values to equal times. */
    public Moments moments() {
        return new Moments(nanos.getAsLong(), wall.instant());
    }

    /** One moment on both clocks, from which other moments are converted. */
    public record Moments(long nanos, Instant time) {
        public Instant timeOf(long moment) {
            return time.plusNanos(moment - nanos);
        }
    }
}
