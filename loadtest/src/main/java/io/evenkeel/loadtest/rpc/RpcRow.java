package io.evenkeel.loadtest.rpc;

/**
 * A figure of {@code bench rpc}, and its control.
 *
 * @param what what was called, and how
 * @param calls how many calls were timed
 * @param besideNanos the control: the p50 of the echo, the p99 without events, or the p99 with as many calls about
 *     known pods
 * @param ratio Evenkeel's latency, or its calls per second, divided by the control's
 * @param podsPerSecond 0 if the figure is not a rate
 * @param besidePodsPerSecond the rate of the echo; 0 if the figure is not a rate
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
        long besidePodsPerSecond,
        String target,
        boolean holds) {
    RpcRow named(String name) {
        return new RpcRow(
                name, calls, p50Nanos, p99Nanos, besideNanos, ratio, podsPerSecond, besidePodsPerSecond, target, holds);
    }
}
