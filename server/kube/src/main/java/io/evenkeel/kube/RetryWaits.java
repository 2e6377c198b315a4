package io.evenkeel.kube;

import java.time.Duration;

/**
 * Says how long the next attempt waits, by how the last ones have ended: longer after each failure, and for a short
 * time after watches that were cut. Not safe for use by several threads.
 */
final class RetryWaits {
    /** The longest wait after several watches that brought something, and ended soon. */
    private static final Duration LONGEST_AFTER_EVENTS = Duration.ofSeconds(1);

    private final BackOff failures;

    /** Does not grow: the watch brought something, so the API server is there, and more would come late. */
    private final BackOff cuts;

    /** How many watches in a row have brought something and ended soon, without a failure. */
    private int cutWatches;

    RetryWaits(FeedTiming timing) {
        failures = timing.backOff();
        cuts = new BackOff(LONGEST_AFTER_EVENTS, LONGEST_AFTER_EVENTS, timing.random());
    }

    /** The wait after one more attempt; zero for none. It is no shorter than what the API server asks for. */
    Duration after(AttemptOutcome outcome) {
        if (outcome.endsFailures()) {
            failures.reset();
            cutWatches = 0;
        }
        return switch (outcome.decision()) {
            case GO_ON -> Duration.ZERO;
            // Of several, something between cuts answers.
            case GO_ON_AFTER_CUT -> ++cutWatches > 1 ? cuts.next() : Duration.ZERO;
            case WAIT_AFTER_CUT -> cuts.next(Problems.retryAfter(outcome.problem()));
            case WAIT, LIST_ANEW -> failures.next(Problems.retryAfter(outcome.problem()));
        };
    }
}
