package io.evenkeel.loadtest.rpc;

/**
 * One figure.
 *
 * @param what what was called, and how
 * @param calls how many of them were timed
 * @param besideNanos what it is set beside: the echo's p50, p99 without churn, or p99 beside as many calls about known
 *     pods in place of first sights
 * @param ratio of latencies, or of calls a second: Evenkeel's by the other's
 * @param podsPerSecond 0 where that is not what is measured
 * @param besidePodsPerSecond the echo's; 0 where that is not what is measured
 * @param target what must hold, in words; empty where nothing must
 * @param holds whether it does
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
        boolean holds) {}
