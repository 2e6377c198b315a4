package io.evenkeel.placement.change;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.Quotes;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.util.EnumSet;
import java.util.Set;
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

    private volatile boolean sourceReached = true;
    private volatile long sourceReachedSince;

    /** The kinds that it feeds. Used within writes of the engine only. */
    private final Set<ObjectKind> fed = EnumSet.noneOf(ObjectKind.class);

    /** @param clock nanoseconds from any origin */
    FeedStream(LongSupplier clock) {
        this.clock = clock;
        this.movedAt = clock.getAsLong();
        this.sourceReachedSince = movedAt;
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

    /** Notes whether what it feeds from is reached now. */
    void sourceIs(boolean reached) {
        if (reached && !sourceReached) {
            sourceReachedSince = clock.getAsLong();
        }
        sourceReached = reached;
    }

    boolean isSourceReached() {
        return sourceReached;
    }

    /** When it began, or when its source was reached again, where that is later. */
    long laterOf(long began) {
        long reached = sourceReachedSince;
        return reached - began > 0 ? reached : began;
    }

    /** Whether it feeds this kind. To be called within a write of the engine. */
    boolean feeds(ObjectKind kind) {
        return fed.contains(kind);
    }

    /** It feeds these kinds from now on. */
    void feed(Set<ObjectKind> kinds) {
        fed.addAll(kinds);
    }

    /** Others feed these kinds from now on, or nobody does. */
    void stopFeeding(Set<ObjectKind> kinds) {
        fed.removeAll(kinds);
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
