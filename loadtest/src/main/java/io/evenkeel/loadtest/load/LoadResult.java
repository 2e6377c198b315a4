package io.evenkeel.loadtest.load;

import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What a run has measured.
 *
 * @param duration the time within which the calls measured were due
 * @param latencies of each of them, in nanoseconds from when it was due
 * @param delays by how many nanoseconds each was made later than it was due; empty for a closed loop
 * @param failed calls that failed, those of warm-up too
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
