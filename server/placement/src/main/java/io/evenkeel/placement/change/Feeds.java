package io.evenkeel.placement.change;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.Quotes;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which stream feeds each kind of object, and decides which streams may start a snapshot of it.
 *
 * <pre>
 *   no other stream feeds the kind              ──►  any stream may
 *   another does, with an active snapshot       ──►  SNAPSHOT_UNDER_WAY
 *   another does                                ──►  a stream of the same feeder may, and one that takes over;
 *                                                    the other stream ends. Otherwise FEEDER_ACTIVE
 * </pre>
 *
 * <p>A snapshot is active while its stream sends messages. An active snapshot is never interrupted, so if several
 * feeders retry, each can finish. A kind is fed by the stream that started its last snapshot, until that stream ends.
 * Changes only within writes of the engine. Thread-safe.
 */
public final class Feeds {
    /** @param since when the stream started to feed the kind */
    private record Feed(FeedStream stream, String feeder, long since, boolean snapshotUnderWay) {}

    private final long stalledNanos;
    private final LongSupplier clock;
    private final Map<ObjectKind, Feed> feeds = new EnumMap<>(ObjectKind.class);
    private final FeedNews news = new FeedNews();

    /**
     * @param stalledAfter how long a snapshot stays active without a message
     * @param clock nanoseconds from any origin
     */
    public Feeds(Duration stalledAfter, LongSupplier clock) {
        stalledNanos = stalledAfter.toNanos();
        this.clock = clock;
    }

    /** Creates a stream that does not feed any kind yet. */
    FeedStream open() {
        return new FeedStream(clock);
    }

    /**
     * Starts a snapshot of these kinds.
     *
     * @param feeder the stream's name for itself; may be empty
     * @return the other streams that lose a kind
     * @throws RequestException if it must not start; then nothing has changed
     */
    synchronized Collection<FeedStream> begin(
            FeedStream stream, Set<ObjectKind> kinds, String feeder, boolean takeover) {
        Set<FeedStream> losers = new LinkedHashSet<>();
        Map<String, Set<ObjectKind>> lost = new LinkedHashMap<>();
        for (ObjectKind kind : kinds) {
            Feed feed = feeds.get(kind);
            if (feed != null && feed.stream != stream) {
                requireStill(feed, kind);
                if (!takeover && !feed.feeder.equals(feeder)) {
                    throw RequestException.of(
                            ErrorReason.ERROR_REASON_FEEDER_ACTIVE,
                            "another stream" + of(feed.feeder) + " feeds " + kind + "; try again when it has ended");
                }
                losers.add(feed.stream);
                lost.computeIfAbsent(feed.feeder, same -> EnumSet.noneOf(ObjectKind.class))
                        .add(kind);
            }
        }
        lost.forEach((from, those) -> news.add(listener -> listener.takenOver(from, feeder, those)));
        Set<ObjectKind> begun = Set.copyOf(kinds);
        news.add(listener -> listener.snapshotBegun(feeder, begun));
        long now = clock.getAsLong();
        for (ObjectKind kind : kinds) {
            Feed before = feeds.get(kind);
            long since = before != null && before.stream == stream ? before.since : now;
            feeds.put(kind, new Feed(stream, feeder, since, true));
        }
        for (FeedStream loser : losers) {
            loser.lose(feeder);
            loser.stopFeeding(kinds);
        }
        stream.feed(kinds);
        return losers;
    }

    /**
     * Rejects a snapshot if the stream that feeds the kind has an active snapshot of any kind, because all of its
     * snapshots would end.
     */
    private void requireStill(Feed feed, ObjectKind kind) {
        if (!underWay(feed.stream).isEmpty() && feed.stream.hasMovedWithin(stalledNanos)) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY,
                    "a snapshot from another stream" + of(feed.feeder) + ", which feeds " + kind
                            + ", is in progress; try again when it has ended");
        }
    }

    private static String of(String feeder) {
        return feeder.isEmpty() ? "" : " of the feeder " + Quotes.shortened(feeder);
    }

    /**
     * Completes the snapshots of these kinds. The stream continues to feed them.
     *
     * @param versions the versions of the lists; 0 if unknown
     */
    synchronized void endSnapshot(Map<ObjectKind, Long> versions) {
        Map<String, Map<ObjectKind, Long>> ended = new LinkedHashMap<>();
        versions.forEach((kind, version) -> feeds.computeIfPresent(kind, (same, feed) -> {
            ended.computeIfAbsent(feed.feeder, each -> new EnumMap<>(ObjectKind.class))
                    .put(kind, version);
            return new Feed(feed.stream, feed.feeder, feed.since, false);
        }));
        ended.forEach((feeder, those) -> news.add(listener -> listener.snapshotEnded(feeder, those)));
    }

    /** Removes a stream that has ended because of {@code why}. Returns the kinds whose snapshot was aborted. */
    synchronized Set<ObjectKind> release(FeedStream stream, String why) {
        Set<ObjectKind> brokenOff = underWay(stream);
        Map<String, Set<ObjectKind>> fed = new LinkedHashMap<>();
        feeds.forEach((kind, feed) -> {
            if (feed.stream == stream) {
                fed.computeIfAbsent(feed.feeder, same -> EnumSet.noneOf(ObjectKind.class))
                        .add(kind);
            }
        });
        fed.forEach((feeder, kinds) -> news.add(listener -> {
            Set<ObjectKind> broken = EnumSet.copyOf(kinds);
            broken.retainAll(brokenOff);
            listener.streamEnded(feeder, kinds, broken, why);
        }));
        feeds.values().removeIf(feed -> feed.stream == stream);
        stream.stopFeeding(ObjectKind.ALL);
        return brokenOff;
    }

    /** The kinds that this stream is sending a snapshot of. */
    synchronized Set<ObjectKind> underWay(FeedStream stream) {
        Set<ObjectKind> kinds = EnumSet.noneOf(ObjectKind.class);
        feeds.forEach((kind, feed) -> {
            if (feed.stream == stream && feed.snapshotUnderWay) {
                kinds.add(kind);
            }
        });
        return kinds;
    }

    /** Notifies listeners of queued events. Must be called outside the engine's writes. */
    void tell() {
        news.tell();
    }

    /** Adds a listener for future events about feeds. */
    public void listen(FeedListener listener) {
        news.listen(listener);
    }

    /**
     * The time since which the kind is fed; null if no stream feeds it, or if the source of the stream is unreachable.
     */
    public synchronized @Nullable Long since(ObjectKind kind) {
        Feed feed = feeds.get(kind);
        return feed == null || !feed.stream.isSourceReached() ? null : (Long) feed.stream.laterOf(feed.since);
    }

    /** The name of the feeder of the kind; empty if there is none. */
    public synchronized String feeder(ObjectKind kind) {
        Feed feed = feeds.get(kind);
        return feed == null ? "" : feed.feeder;
    }
}
