package io.evenkeel.loadtest.decisions;

import io.evenkeel.loadtest.load.TimeOptions;
import io.evenkeel.loadtest.text.Numbers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How long calls took.
 *
 * @param firstNanos the time of the very first call
 * @param medianNanos the median time of calls after a warm-up
 * @param leastNanos the least time of these
 */
record CallTimes(long firstNanos, long medianNanos, long leastNanos) {
    private static final int MIN_CALLS = 5;

    /**
     * Measures a call.
     *
     * @param before runs before each call, and is not measured
     * @param time how long to call it before it is measured, and how long to measure
     */
    static CallTimes of(Runnable call, Runnable before, TimeOptions time) {
        long first = nanosOf(call, before);
        long warm = System.nanoTime() + time.warmUpNanos();
        long end = warm + time.nanos();
        List<Long> nanos = new ArrayList<>();
        while (nanos.size() < MIN_CALLS || System.nanoTime() < end) {
            long taken = nanosOf(call, before);
            if (System.nanoTime() > warm) {
                nanos.add(taken);
            }
        }
        Collections.sort(nanos);
        return new CallTimes(first, nanos.get(nanos.size() / 2), nanos.get(0));
    }

    private static long nanosOf(Runnable call, Runnable before) {
        before.run();
        long begin = System.nanoTime();
        call.run();
        return System.nanoTime() - begin;
    }

    /** The median, with the first and the least time. */
    String words() {
        return Numbers.millis(medianNanos) + " ms (first " + Numbers.millis(firstNanos) + ", least "
                + Numbers.millis(leastNanos) + ")";
    }
}
