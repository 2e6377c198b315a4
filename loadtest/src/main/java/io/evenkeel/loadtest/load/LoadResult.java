package io.evenkeel.loadtest.load;

import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The measurements of a run.
 *
 * @param duration the time within which the measured calls were due
 * @param latencies the latency of each of these calls, in nanoseconds from when it was due
 * @param delays how many nanoseconds late each call was made; empty for a closed loop
 * @param failed the number of failed calls, including the warm-up
 */
record LoadResult(
        Duration duration,
        Histogram latencies,
        Histogram delays,
        long failed,
        List<ErrorCount> errors,
        List<LoadSecond> seconds) {
    long calls() {
        return latencies.getTotalCount();
    }

    double callsPerSecond() {
        return calls() * 1e9 / duration.toNanos();
    }
}
