package io.evenkeel.loadtest.load;

import org.HdrHistogram.Histogram;

/** A histogram of nanoseconds, reduced to the figures of a report. */
record Percentiles(long count, double mean, long min, long p50, long p90, long p99, long p999, long max) {
    static Percentiles of(Histogram histogram) {
        return new Percentiles(
                histogram.getTotalCount(),
                histogram.getMean(),
                histogram.getMinValue(),
                histogram.getValueAtPercentile(50),
                histogram.getValueAtPercentile(90),
                histogram.getValueAtPercentile(99),
                histogram.getValueAtPercentile(99.9),
                histogram.getMaxValue());
    }
}
