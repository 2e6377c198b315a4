package io.evenkeel.service;

import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Reads the deadline of the current gRPC call. */
final class CallDeadline {
    /**
     * How long before the deadline a wait for a revision or for object versions ends, so that the caller still receives
     * the answer with the versions that were reached.
     */
    private static final Duration MAX_RESERVE = Duration.ofMillis(200);

    /** On a busy machine, the answer takes some milliseconds to reach the caller. */
    private static final Duration MIN_RESERVE = Duration.ofMillis(5);

    private static final int RESERVE_PART = 10;
    private static final Duration NO_DEADLINE = Duration.ofDays(365);

    private CallDeadline() {}

    /** How long the current call can wait for a revision. */
    static Duration patience() {
        Deadline deadline = Context.current().getDeadline();
        if (deadline == null) {
            return NO_DEADLINE;
        }
        long left = Math.max(0, deadline.timeRemaining(TimeUnit.NANOSECONDS));
        long reserve = Math.min(Math.max(left / RESERVE_PART, MIN_RESERVE.toNanos()), MAX_RESERVE.toNanos());
        return Duration.ofNanos(left - Math.min(reserve, left / 2));
    }
}
