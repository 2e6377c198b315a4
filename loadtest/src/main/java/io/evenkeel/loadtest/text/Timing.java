package io.evenkeel.loadtest.text;

import java.util.Arrays;
import java.util.function.Supplier;

/**
 * The times of a repeated call.
 *
 * @param answer the answer of the last call
 * @param firstNanos the time of the first call
 * @param medianNanos the median time of all calls
 */
public record Timing<T>(T answer, long firstNanos, long medianNanos) {

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
        return new Timing<>(answer, first, nanos[times / 2]);
    }
}
