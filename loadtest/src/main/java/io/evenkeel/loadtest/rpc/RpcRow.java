package io.evenkeel.loadtest.rpc;

/**
 * A figure of {@code bench rpc}, with what it is compared with.
 *
 * @param what what was called, and how
 * @param calls how many calls were timed
 * @param besideNanos what it is compared with: the p50 of the echo, the p99 without events, or the p99 beside as many
 *     calls about known pods
 * @param ratio Evenkeel's latency, or its calls per second, divided by the other's
 * @param podsPerSecond 0 where the figure is no rate
 * @param besidePodsPerSecond the rate of the echo; 0 where the figure is no rate
 * @param target the bound in words; empty where there is none
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
