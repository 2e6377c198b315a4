package io.evenkeel.service;

import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Reads the deadline of the current gRPC call. */
final class CallDeadline {
    /**
     * How long before the deadline a wait for a revision or for versions ends, so that the caller still gets the answer
     * that says which were reached.
     */
    private static final Duration MOST_RESERVE = Duration.ofMillis(200);

    private static final int RESERVE_PART = 10;
    private static final Duration NO_DEADLINE = Duration.ofDays(365);

    private CallDeadline() {}

    /** How long the current call may wait for a revision. */
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
