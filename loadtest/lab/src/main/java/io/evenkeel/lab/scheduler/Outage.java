package io.evenkeel.lab.scheduler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened while Evenkeel was down, and after its return. Times are in seconds since the first binding.
 *
 * @param killedAtSeconds when it was killed
 * @param startedAtSeconds when it was restarted
 * @param backAtSeconds when it was seen to have answered in a scheduling cycle again
 * @param podsPerSecondBefore the rate until the kill, without the first half of the bindings
 * @param podsPerSecondDead the rate from the kill to the restart
 * @param podsPerSecondStarting the rate from the restart until it had answered
 * @param podsPerSecondAway the rate from the kill until it had answered
 * @param secondsToFullRate the time from its return to the end of the first window of {@link #WHILE_SECONDS} in which
 *     the rate was nearly that before the kill, provided that it was also so from the start of the window to the last
 *     pod; null if there was none
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
     * Computes an outage from the bindings. A phase ends with the last pod at the latest; its rate is 0 if no pod was
     * left.
     *
     * @param boundAtSeconds when each binding was seen, in order
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

    /** A short fast period proves nothing: even at a low rate, some bindings follow each other quickly by chance. */
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
