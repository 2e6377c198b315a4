package io.evenkeel.kube;

import java.util.function.LongSupplier;

/**
 * Decides when to relist a kind after an object was rejected for lack of room: after a while, because there may be room
 * again, and less often if there is still none. Not thread-safe.
 */
final class RelistWhenFull {
    /** The longest wait between two lists while there is no room, as a multiple of the longest wait after a failure. */
    private static final int LONGER_WITHOUT_ROOM = 20;

    private final LongSupplier nanos;
    private final BackOff backOff;

    /** Whether a wait is under way, and when it ends. */
    private boolean waiting;

    private long due;

    RelistWhenFull(FeedTiming timing) {
        nanos = timing.nanos();
        backOff = new BackOff(
                timing.longestWait(), timing.longestWait().multipliedBy(LONGER_WITHOUT_ROOM), timing.random());
    }

    /**
     * Whether to relist the kind now. If so, the next wait begins with the next call.
     *
     * @param lacking whether an object was rejected for lack of room
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
