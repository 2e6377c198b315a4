package io.evenkeel.client.embedded;

import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.PlacementException;
import java.time.Duration;
import java.util.concurrent.CancellationException;

/** The deadline of a call that is answered in this process. */
final class Deadline {
    private final long begin = System.nanoTime();
    private final long most;

    Deadline(Duration most) {
        this.most = most.toNanos();
    }

    boolean hasPassed() {
        return System.nanoTime() - begin > most;
    }

    /** The failure of a call that was stopped because its deadline had passed. */
    static PlacementException passed(CancellationException givenUp) {
        return new PlacementException(
                ErrorCode.DEADLINE_EXCEEDED, "the deadline passed before the answer was complete", givenUp);
    }
}
