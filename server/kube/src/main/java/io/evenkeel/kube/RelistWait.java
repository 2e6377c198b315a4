package io.evenkeel.kube;

import java.util.function.LongSupplier;

/**
 * Decides when to relist a kind whose state only a list corrects: after a while, and less often if lists do not help,
 * because there is still no room or because others keep changing the state. Not thread-safe.
 */
final class RelistWait {
    /** The longest wait between two lists that do not help, as a multiple of the longest wait after a failure. */
    private static final int LONGER_IF_FUTILE = 20;

    private final LongSupplier nanos;
    private final BackOff backOff;

    /** Whether a wait is under way, and when it ends. */
    private boolean waiting;

    private long due;

    RelistWait(FeedTiming timing) {
        nanos = timing.nanos();
        backOff =
                new BackOff(timing.longestWait(), timing.longestWait().multipliedBy(LONGER_IF_FUTILE), timing.random());
    }

    /**
     * Whether to relist the kind now. If so, the next wait begins with the next call.
     *
     * @param needed whether only a list corrects the state
     */
    boolean isDue(boolean needed) {
        if (!needed) {
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
