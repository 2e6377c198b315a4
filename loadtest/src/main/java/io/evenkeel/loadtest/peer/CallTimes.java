package io.evenkeel.loadtest.peer;

import java.util.Arrays;

/** Records how long calls took, in nanoseconds. Not safe for use by several threads. */
final class CallTimes {
    private final long[] nanos;
    private int count;

    /** @param most for how many calls it has room, at least 1 */
    CallTimes(int most) {
        nanos = new long[most];
    }

    void add(long callNanos) {
        nanos[count++] = callNanos;
    }

    /** The percentile: the lowest time that {@code percent} percent of the calls do not exceed. */
    long percentile(int percent) {
        if (count == 0) {
            throw new IllegalStateException("no call was timed");
        }
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        int rank = (int) (((long) count * percent + 99) / 100);
        return sorted[Math.max(rank, 1) - 1];
    }
}
