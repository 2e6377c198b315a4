package io.evenkeel.lab.start;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** Makes calls on a schedule. If a slow call delays the next one, the delay counts in the next one's time. */
final class PacedCalls {
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 3;

    private final Runnable call;
    private final long everyNanos;

    PacedCalls(Runnable call, int callsASecond) {
        this.call = call;
        this.everyNanos = TimeUnit.SECONDS.toNanos(1) / callsASecond;
    }

    /** Makes calls for some time. Returns their durations. */
    Histogram during(Duration time) {
        Histogram times = new Histogram(MAX_NANOS, DIGITS);
        long began = System.nanoTime();
        for (long due = 0; due < time.toNanos(); due += everyNanos) {
            long late = System.nanoTime() - began - due;
            if (late < 0) {
                LockSupport.parkNanos(-late);
            }
            // The operating system wakes threads a little late, which must not count against the server.
            long from = late < 0 ? System.nanoTime() : began + due;
            call.run();
            times.recordValue(System.nanoTime() - from);
        }
        return times;
    }
}
