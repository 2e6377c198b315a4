package io.evenkeel.placement.call;

import io.evenkeel.objects.Quotes;
import io.evenkeel.v1.ErrorReason;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One {@code Sync} or {@code SyncAndEvaluate} stream: when it last sent a message, whether its source is reachable, and
 * whether another stream has taken over one of its kinds. Thread-safe.
 */
public final class FeedStream {
    private final LongSupplier clock;
    private volatile Consumer<RequestException> whenLost = why -> {};
    private volatile long movedAt;
    private volatile @Nullable RequestException loss;

    private volatile boolean sourceReached = true;
    private volatile long sourceReachedSince;

    /** @param clock nanoseconds from any origin */
    FeedStream(LongSupplier clock) {
        this.clock = clock;
        this.movedAt = clock.getAsLong();
        this.sourceReachedSince = movedAt;
    }

    /**
     * Records that the stream has sent a message.
     *
     * @throws RequestException if another stream has taken over one of its kinds
     */
    public void move() {
        RequestException lost = loss;
        if (lost != null) {
            throw lost;
        }
        movedAt = clock.getAsLong();
    }

    /** Records whether its source is currently reachable. */
    public void sourceIs(boolean reached) {
        if (reached && !sourceReached) {
            sourceReachedSince = clock.getAsLong();
        }
        sourceReached = reached;
    }

    boolean isSourceReached() {
        return sourceReached;
    }

    /** The later of {@code began} and the time at which its source became reachable. */
    long laterOf(long began) {
        long reached = sourceReachedSince;
        return reached - began > 0 ? reached : began;
    }

    /** True if it has sent a message within this time. */
    boolean hasMovedWithin(long nanos) {
        return clock.getAsLong() - movedAt <= nanos;
    }

    /** Records that another stream has taken over a kind. From now on, this stream can no longer change anything. */
    void lose(String winner) {
        if (loss == null) {
            loss = RequestException.of(
                    ErrorReason.ERROR_REASON_FEED_TAKEN_OVER,
                    "another stream" + (winner.isEmpty() ? "" : ", of the feeder " + Quotes.shortened(winner) + ",")
                            + " has taken over; this one has ended");
        }
    }

    /** Calls {@code action} once another stream has taken over a kind from this one. */
    public void whenLost(Consumer<RequestException> action) {
        whenLost = action;
    }

    /** Reports a takeover, if there was one. Must be called outside the engine's writes. */
    public void reportLoss() {
        RequestException lost = loss;
        if (lost != null) {
            whenLost.accept(lost);
        }
    }
}
