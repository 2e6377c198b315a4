package io.evenkeel.placement.change;

import io.evenkeel.objects.Quotes;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One stream of {@code Sync} as {@link Feeds} knows it: when it moved last, and who has taken a kind over from it. Safe
 * for use by several threads.
 */
final class FeedStream {
    private final LongSupplier clock;
    private volatile Consumer<RequestException> whenLost = why -> {};
    private volatile long movedAt;
    private volatile @Nullable RequestException loss;

    /** @param clock nanoseconds from any origin */
    FeedStream(LongSupplier clock) {
        this.clock = clock;
        this.movedAt = clock.getAsLong();
    }

    /**
     * Notes that the stream goes on.
     *
     * @throws RequestException where a kind was taken over from it
     */
    void move() {
        RequestException lost = loss;
        if (lost != null) {
            throw lost;
        }
        movedAt = clock.getAsLong();
    }

    /** Whether it has moved within this time. */
    boolean hasMovedWithin(long nanos) {
        return clock.getAsLong() - movedAt <= nanos;
    }

    /** Another stream has taken a kind over: from now on this one changes nothing. */
    void lose(String winner) {
        if (loss == null) {
            loss = RequestException.of(
                    ErrorReason.ERROR_REASON_FEED_TAKEN_OVER,
                    "another stream" + (winner.isEmpty() ? "" : ", of the feeder " + Quotes.shortened(winner) + ",")
                            + " has taken over: this one has ended");
        }
    }

    /** Calls {@code action} once a kind was taken over from the stream. */
    void whenLost(Consumer<RequestException> action) {
        whenLost = action;
    }

    /** Tells that a kind was taken over. To be called outside of the engine's writes. */
    void tellLoss() {
        RequestException lost = loss;
        if (lost != null) {
            whenLost.accept(lost);
        }
    }
}
