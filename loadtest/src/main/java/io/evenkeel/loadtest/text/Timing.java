package io.evenkeel.loadtest.text;

import java.util.Arrays;
import java.util.function.Supplier;

/**
 * How long a call took.
 *
 * @param answer the last one
 * @param firstNanos the first call
 * @param leastNanos the fastest call
 * @param medianNanos of all calls
 */
public record Timing<T>(T answer, long firstNanos, long leastNanos, long medianNanos) {

    /** Makes the call {@code times} times, one after another. */
    public static <T> Timing<T> of(int times, Supplier<T> call) {
        long[] nanos = new long[times];
        T answer = null;
        for (int i = 0; i < times; i++) {
            long start = System.nanoTime();
            answer = call.get();
            nanos[i] = System.nanoTime() - start;
        }
        if (answer == null) {
            throw new IllegalArgumentException("times must be at least 1, was " + times);
        }
        long first = nanos[0];
        Arrays.sort(nanos);
        return new Timing<>(answer, first, nanos[0], nanos[times / 2]);
    }
}
