package io.evenkeel.placement.change;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.Quotes;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Knows which stream feeds each kind of object, and decides which one may begin a snapshot of it.
 *
 * <pre>
 *   no other stream feeds the kind              ──►  any stream may
 *   another does, and one of its snapshots moves ──► SNAPSHOT_UNDER_WAY
 *   another does                                ──►  a stream of the same feeder may, and one that takes over:
 *                                                    the other stream ends. Else FEEDER_ACTIVE
 * </pre>
 *
 * <p>So a snapshot that moves is never interrupted, and of several feeders that retry each comes to its end. A kind is
 * fed by the stream that began its last snapshot, until that stream ends. Changes are made within writes of the engine.
 * Safe for use by several threads.
 */
public final class Feeds {
    private record Feed(FeedStream stream, String feeder, boolean snapshotUnderWay) {}

    private final long stalledNanos;
    private final LongSupplier clock;
    private final Map<ObjectKind, Feed> feeds = new EnumMap<>(ObjectKind.class);

    /**
     * @param stalledAfter after what time without a message a snapshot does not move any more
     * @param clock nanoseconds from any origin
     */
    public Feeds(Duration stalledAfter, LongSupplier clock) {
        stalledNanos = stalledAfter.toNanos();
        this.clock = clock;
    }

    /** A stream that feeds nothing yet. */
    FeedStream open() {
        return new FeedStream(clock);
    }

    /**
     * Begins a snapshot of these kinds.
     *
     * @param feeder how the stream names itself; may be empty
     * @return the other streams that lose a kind by it
     * @throws RequestException where it must not begin; then nothing has changed
     */
    synchronized Collection<FeedStream> begin(
            FeedStream stream, Set<ObjectKind> kinds, String feeder, boolean takeover) {
        Set<FeedStream> losers = new LinkedHashSet<>();
        for (ObjectKind kind : kinds) {
            Feed feed = feeds.get(kind);
            if (feed != null && feed.stream != stream) {
                requireStill(feed, kind);
                if (!takeover && !feed.feeder.equals(feeder)) {
                    throw RequestException.of(
                            ErrorReason.ERROR_REASON_FEEDER_ACTIVE,
                            "another stream" + of(feed.feeder) + " feeds " + kind + ": try again when it has ended");
                }
                losers.add(feed.stream);
            }
        }
        kinds.forEach(kind -> feeds.put(kind, new Feed(stream, feeder, true)));
        for (FeedStream loser : losers) {
            loser.lose(feeder);
            loser.stopFeeding(kinds);
        }
        stream.feed(kinds);
        return losers;
    }

    /** Refuses where the stream that feeds a kind has a snapshot that moves: of any kind, since all end with it. */
    private void requireStill(Feed feed, ObjectKind kind) {
        if (!underWay(feed.stream).isEmpty() && feed.stream.hasMovedWithin(stalledNanos)) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY,
                    "a snapshot from another stream" + of(feed.feeder) + ", which feeds " + kind
                            + ", is under way: try again when it has ended");
        }
    }

    private static String of(String feeder) {
        return feeder.isEmpty() ? "" : " of the feeder " + Quotes.shortened(feeder);
    }

    /** The snapshot of these kinds has ended. The stream goes on feeding them. */
    synchronized void endSnapshot(Set<ObjectKind> kinds) {
        for (ObjectKind kind : kinds) {
            feeds.computeIfPresent(kind, (same, feed) -> new Feed(feed.stream, feed.feeder, false));
        }
    }

    /** The stream has ended. Returns the kinds of which its snapshot was under way. */
    synchronized Set<ObjectKind> release(FeedStream stream) {
        Set<ObjectKind> brokenOff = underWay(stream);
        feeds.values().removeIf(feed -> feed.stream == stream);
        stream.stopFeeding(ObjectKind.ALL);
        return brokenOff;
    }

    /** The kinds of which a snapshot of this stream is under way. */
    synchronized Set<ObjectKind> underWay(FeedStream stream) {
        Set<ObjectKind> kinds = EnumSet.noneOf(ObjectKind.class);
        feeds.forEach((kind, feed) -> {
            if (feed.stream == stream && feed.snapshotUnderWay) {
                kinds.add(kind);
            }
        });
        return kinds;
    }

    /** Who feeds the kind, as it named itself; empty where nobody does. */
    public synchronized String feeder(ObjectKind kind) {
        Feed feed = feeds.get(kind);
        return feed == null ? "" : feed.feeder;
    }
}
