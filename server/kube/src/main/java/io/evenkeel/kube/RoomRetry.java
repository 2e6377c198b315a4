package io.evenkeel.kube;

import java.util.function.LongSupplier;

/**
 * Keeps when a state that had no room for something is listed anew: after a while, since there may be room again, and
 * less often where there is still none. Not safe for use by several threads at the same time.
 */
final class RoomRetry {
    /**
     * The longest wait between two lists of a state without room, as a multiple of the longest wait after a failure.
     */
    private static final int LONGER_WITHOUT_ROOM = 20;

    private final LongSupplier nanos;
    private final BackOff backOff;

    /** Whether a wait is under way, and when it ends. */
    private boolean waiting;

    private long due;

    RoomRetry(FeedTiming timing) {
        nanos = timing.nanos();
        backOff = new BackOff(
                timing.longestWait(), timing.longestWait().multipliedBy(LONGER_WITHOUT_ROOM), timing.random());
    }

    /**
     * Whether the kind must be listed anew now. Where it must, the next wait begins with the next call.
     *
     * @param lacking whether the state lacks something that it had no room for
     */
    boolean isDue(boolean lacking) {
        if (!lacking) {
            waiting = false;
            backOff.reset();
            return false;
        }
        long now = nanos.getAsLong();
        if (!waiting) {
            waiting = true;
            due = now + backOff.next().toNanos();
            return false;
        }
        if (now - due < 0) {
            return false;
        }
        waiting = false;
        return true;
    }
}
