package io.evenkeel.kube;

import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Keeps when a state that had no room for something is listed anew: after a while, since there may be room again, and
 * less often where there is still none. Not safe for use by several threads at the same time.
 */
final class RoomRetry {
    /**
     * The longest wait between two lists of a state without room, as a multiple of the longest wait after a failure.
     */
    private static final int LONGER_WITHOUT_ROOM = 20;

    private final Clock clock;
    private final BackOff backOff;

    /** When the kind is listed anew; null where nothing is known to be lacking. */
    private @Nullable Instant due;

    RoomRetry(FeedTiming timing) {
        clock = timing.clock();
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
            due = null;
            backOff.reset();
            return false;
        }
        Instant now = clock.instant();
        if (due == null) {
            due = now.plus(backOff.next());
            return false;
        }
        if (now.isBefore(due)) {
            return false;
        }
        due = null;
        return true;
    }
}
