package io.evenkeel.service;

import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The deadline of the call under way. */
final class CallDeadline {
    /** Taken off a deadline, so that the caller learns how far the state has got before it stops listening. */
    private static final Duration MOST_RESERVE = Duration.ofMillis(50);

    private static final int RESERVE_PART = 10;
    private static final Duration NO_DEADLINE = Duration.ofDays(365);

    private CallDeadline() {}

    /** How long the call that this thread works for may wait for a revision. */
    static Duration patience() {
        Deadline deadline = Context.current().getDeadline();
        if (deadline == null) {
            return NO_DEADLINE;
        }
        Duration left = Duration.ofNanos(Math.max(0, deadline.timeRemaining(TimeUnit.NANOSECONDS)));
        Duration reserve = left.dividedBy(RESERVE_PART);
        return left.minus(reserve.compareTo(MOST_RESERVE) < 0 ? reserve : MOST_RESERVE);
    }
}
