package io.evenkeel.client.embedded;

import com.google.rpc.Code;
import io.evenkeel.client.PlacementException;
import java.time.Duration;
import java.util.concurrent.CancellationException;

/** How long a call may work on its answer, from now on. */
final class Deadline {
    private final long begin = System.nanoTime();
    private final long most;

    Deadline(Duration most) {
        this.most = most.toNanos();
    }

    boolean hasPassed() {
        return System.nanoTime() - begin > most;
    }

    /** That work was given up since the deadline had passed. */
    static PlacementException passed(CancellationException givenUp) {
        return new PlacementException(
                Code.DEADLINE_EXCEEDED, "the deadline passed before the answer was worked out", givenUp);
    }
}
