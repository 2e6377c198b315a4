package io.evenkeel.loadtest.load;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A histogram of nanoseconds, reduced to the figures of a report.
 *
 * @param curve points from the lowest to the highest value, denser near 100 %
 */
public record Percentiles(
        long count, double mean, long min, long p50, long p90, long p99, long p999, long max, List<Point> curve) {
    private static final int POINTS_PER_HALVING = 5;

    /** A percentile: {@code percentile} percent of the values are at most {@code nanos}. */
    public record Point(double percentile, long nanos) {}

    static Percentiles of(Histogram histogram) {
        List<Point> curve = new ArrayList<>();
        for (HistogramIterationValue each : histogram.percentiles(POINTS_PER_HALVING)) {
            curve.add(new Point(each.getPercentileLevelIteratedTo(), each.getValueIteratedTo()));
        }
        return new Percentiles(
                histogram.getTotalCount(),
                histogram.getMean(),
                histogram.getMinValue(),
                histogram.getValueAtPercentile(50),
                histogram.getValueAtPercentile(90),
                histogram.getValueAtPercentile(99),
                histogram.getValueAtPercentile(99.9),
                histogram.getMaxValue(),
                curve);
    }
}
