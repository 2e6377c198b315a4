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
    /** @param since when the stream began to feed the kind */
    private record Feed(FeedStream stream, String feeder, long since, boolean snapshotUnderWay) {}

    private final long stalledNanos;
    private final LongSupplier clock;
    private final Map<ObjectKind, Feed> feeds = new EnumMap<>(ObjectKind.class);
    private final FeedNews news = new FeedNews();

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
        Map<String, Set<ObjectKind>> lost = new LinkedHashMap<>();
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

    /**
     * The snapshot of these kinds has ended. The stream goes on feeding them.
     *
     * @param versions the lists' versions; 0 where one is not known
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

    /** The stream has ended, and {@code why}. Returns the kinds of which its snapshot was under way. */
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

    /** Tells listeners what has become of feeds. To be called outside of the engine's writes. */
    void tell() {
        news.tell();
    }

    /** Has {@code listener} told what becomes of feeds from now on. */
    public void listen(FeedListener listener) {
        news.listen(listener);
    }

    /** Since when the kind is fed, on the clock; null where nobody does so, or only from a source that is away. */
    public synchronized @Nullable Long since(ObjectKind kind) {
        Feed feed = feeds.get(kind);
        return feed == null || !feed.stream.isSourceReached() ? null : (Long) feed.stream.laterOf(feed.since);
    }

    /** Who feeds the kind, as it named itself; empty where nobody does. */
    public synchronized String feeder(ObjectKind kind) {
        Feed feed = feeds.get(kind);
        return feed == null ? "" : feed.feeder;
    }
}
