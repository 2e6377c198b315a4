package io.evenkeel.lab.scheduler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened while Evenkeel was away, and after it was back. Times are in seconds since the first binding.
 *
 * @param killedAtSeconds when it was killed
 * @param startedAtSeconds when it was started again
 * @param backAtSeconds when it answered from the cluster again
 * @param podsPerSecondBefore the rate until it was killed, without the first half
 * @param podsPerSecondDead the rate until it was started again
 * @param podsPerSecondStarting the rate from then until it was back
 * @param podsPerSecondAway the rate of both together
 * @param secondsToFullRate how long after it was back a while of {@link #WHILE_SECONDS} had ended in which the rate was
 *     nearly what it was before, as it was from that while's begin to the last pod; null where there was none
 */
record Outage(
        double killedAtSeconds,
        double startedAtSeconds,
        double backAtSeconds,
        double podsPerSecondBefore,
        double podsPerSecondDead,
        double podsPerSecondStarting,
        double podsPerSecondAway,
        @Nullable Double secondsToFullRate) {
    static final double NEARLY = 0.9;
    static final double WHILE_SECONDS = 3;

    /**
     * Looks at the bindings around an outage. A phase ends with the last pod; its rate is 0 where there was none left.
     *
     * @param boundAtSeconds when each was heard of, in order
     */
    static Outage of(double killedAt, double startedAt, double backAt, List<Double> boundAtSeconds) {
        List<Double> untilKilled =
                boundAtSeconds.stream().filter(at -> at <= killedAt).toList();
        double before = TurnResult.rate(untilKilled.subList(untilKilled.size() / 2, untilKilled.size()));
        return new Outage(
                killedAt,
                startedAt,
                backAt,
                before,
                rate(boundAtSeconds, killedAt, startedAt),
                rate(boundAtSeconds, startedAt, backAt),
                rate(boundAtSeconds, killedAt, backAt),
                toFull(backAt, NEARLY * before, boundAtSeconds));
    }

    /** A single good moment proves nothing: while all are slow, some follow each other by chance. */
    private static @Nullable Double toFull(double backAt, double full, List<Double> boundAtSeconds) {
        double last = boundAtSeconds.get(boundAtSeconds.size() - 1);
        for (double from = backAt; full > 0 && from + WHILE_SECONDS <= last; from += 0.1) {
            if (rate(boundAtSeconds, from, from + WHILE_SECONDS) >= full && rate(boundAtSeconds, from, last) >= full) {
                return from + WHILE_SECONDS - backAt;
            }
        }
        return null;
    }

    private static double rate(List<Double> boundAtSeconds, double from, double to) {
        double until = Math.min(to, boundAtSeconds.get(boundAtSeconds.size() - 1));
        long count =
                boundAtSeconds.stream().filter(at -> at > from && at <= until).count();
        return until > from ? count / (until - from) : 0;
    }
}
