package io.evenkeel.kube;

import java.time.Duration;

/**
 * Decides how long the next attempt waits, depending on how the last ones ended: longer after each failure, and briefly
 * after watches that were cut short. Not thread-safe.
 */
final class RetryWaits {
    /** The longest wait after several watches that delivered something but were cut short. */
    private static final Duration LONGEST_AFTER_EVENTS = Duration.ofSeconds(1);

    private final BackOff failures;

    /** Does not grow: the API server is up, so a longer wait would only delay events. */
    private final BackOff cuts;

    /** How many watches in a row delivered something but were cut short without an error. */
    private int cutWatches;

    RetryWaits(FeedTiming timing) {
        failures = timing.backOff();
        cuts = new BackOff(LONGEST_AFTER_EVENTS, LONGEST_AFTER_EVENTS, timing.random());
    }

    /** The wait after another attempt; zero for none. It is at least what the API server asks for. */
    Duration after(AttemptOutcome outcome) {
        if (outcome.endsFailures()) {
            failures.reset();
            cutWatches = 0;
        }
        return switch (outcome.decision()) {
            case GO_ON -> Duration.ZERO;
            // If it happens repeatedly, a proxy may be cutting responses short.
            case GO_ON_AFTER_CUT -> ++cutWatches > 1 ? cuts.next() : Duration.ZERO;
            case WAIT_AFTER_CUT -> cuts.next(FailureText.retryAfter(outcome.problem()));
            case WAIT, LIST_ANEW -> failures.next(FailureText.retryAfter(outcome.problem()));
        };
    }
}
