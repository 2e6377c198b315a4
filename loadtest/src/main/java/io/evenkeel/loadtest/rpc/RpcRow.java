package io.evenkeel.loadtest.rpc;

import org.HdrHistogram.Histogram;

/**
 * A figure of {@code bench rpc}, and its control.
 *
 * @param what what was called, and how
 * @param calls how many calls were timed
 * @param besideNanos the control: the p50 of the echo, the p99 without events, or the p99 with as many calls about
 *     known pods
 * @param ratio Evenkeel's latency, or its calls per second, divided by the control's
 * @param podsPerSecond 0 if the figure is not a rate
 * @param target the bound as text; empty if there is none
 * @param holds whether the figure is within its bound
 */
record RpcRow(
        String what,
        long calls,
        long p50Nanos,
        long p99Nanos,
        long besideNanos,
        double ratio,
        long podsPerSecond,
        String target,
        boolean holds) {
    static RpcRow of(
            String what,
            Histogram times,
            long besideNanos,
            double ratio,
            long podsPerSecond,
            String target,
            boolean holds) {
        return new RpcRow(
                what,
                times.getTotalCount(),
                times.getValueAtPercentile(50),
                times.getValueAtPercentile(99),
                besideNanos,
                ratio,
                podsPerSecond,
                target,
                holds);
    }

    RpcRow named(String name) {
        return new RpcRow(name, calls, p50Nanos, p99Nanos, besideNanos, ratio, podsPerSecond, target, holds);
    }
}
