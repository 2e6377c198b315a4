package io.evenkeel.placement.call;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The time of an instance.
 *
 * @param nanos nanoseconds from any origin, which never go back
 * @param wall the time of day
 */
public record InstanceClock(LongSupplier nanos, InstantSource wall) {
    public static final InstanceClock SYSTEM = new InstanceClock(System::nanoTime, InstantSource.system());

    /** Tells the time of day of moments in {@link #nanos}: the same moment has always the same time. */
    public Moments moments() {
        return new Moments(nanos.getAsLong(), wall.instant());
    }

    /** The time of day at one moment, by which that of others is known. */
    public record Moments(long nanos, Instant time) {
        public Instant timeOf(long moment) {
            return time.plusNanos(moment - nanos);
        }
    }
}
