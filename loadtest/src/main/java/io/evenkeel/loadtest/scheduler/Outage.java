package io.evenkeel.loadtest.scheduler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened while Evenkeel was away, and after it was back.
 *
 * @param killedAtSeconds since the first binding, as the other times
 * @param backAtSeconds when it answered from the cluster again
 * @param podsPerSecondBefore the rate until it was killed, without the first half
 * @param podsPerSecondAway the rate until it was back, or all were bound
 * @param secondsToFullRate how long after that the rate over a second was again nearly what it was; null for never
 */
record Outage(
        double killedAtSeconds,
        double backAtSeconds,
        double podsPerSecondBefore,
        double podsPerSecondAway,
        @Nullable Double secondsToFullRate) {
    private static final double NEARLY = 0.9;

    /**
     * Looks at the bindings around an outage.
     *
     * @param boundAtSeconds when each was heard of, in order
     */
    static Outage of(double killedAt, double backAt, List<Double> boundAtSeconds) {
        List<Double> untilKilled =
                boundAtSeconds.stream().filter(at -> at <= killedAt).toList();
        double before = TurnResult.rate(untilKilled.subList(untilKilled.size() / 2, untilKilled.size()));
        double last = boundAtSeconds.get(boundAtSeconds.size() - 1);
        double until = Math.min(backAt, last);
        double away = until > killedAt ? count(boundAtSeconds, killedAt, until) / (until - killedAt) : 0;
        Double toFull = null;
        for (double from = backAt; before > 0 && from + 1 <= last && toFull == null; from += 0.1) {
            if (count(boundAtSeconds, from, from + 1) >= NEARLY * before) {
                toFull = from - backAt;
            }
        }
        return new Outage(killedAt, backAt, before, away, toFull);
    }

    private static double count(List<Double> boundAtSeconds, double from, double to) {
        return boundAtSeconds.stream().filter(at -> at > from && at <= to).count();
    }
}
