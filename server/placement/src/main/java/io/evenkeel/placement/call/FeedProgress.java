package io.evenkeel.placement.call;

import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.ErrorReason;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The progress of the feeds, by kind of object. Changes only within writes of the engine, which are serialized, and
 * sets the engine's {@link KindVersions} in {@link #publish}.
 */
public final class FeedProgress {
    /** Indexed by the kinds' ordinals. */
    private final KindProgress[] kinds;

    private final LongSupplier clock;

    /** A bit for each kind that was reported since the last publication. Accessed only within writes. */
    private int told;

    /** @param clock nanoseconds from any origin */
    public FeedProgress(LongSupplier clock) {
        this.clock = clock;
        kinds = ObjectKind.ALL.stream().map(KindProgress::new).toArray(KindProgress[]::new);
    }

    private KindProgress of(ObjectKind kind) {
        return kinds[kind.ordinal()];
    }

    /** Marks a kind as reported, and returns its progress. */
    private KindProgress tell(ObjectKind kind) {
        told |= 1 << kind.ordinal();
        return of(kind);
    }

    /** Starts snapshots of these kinds. */
    public void beginSnapshot(Set<ObjectKind> begun) {
        begun.forEach(kind -> tell(kind).begin());
    }

    /**
     * Records an object of the current snapshot.
     *
     * @param version 0 if unknown
     * @param changed whether the state has changed
     */
    public void list(ObjectKind kind, long version, boolean changed) {
        tell(kind).list(version, changed);
    }

    /**
     * Records an event of the kind's feed.
     *
     * @param version 0 if unknown
     * @param changed whether the state has changed
     */
    public void event(ObjectKind kind, long version, boolean changed) {
        tell(kind).event(version, changed);
    }

    /** Records that the kind's feed has reached this version. */
    public void bookmark(ObjectKind kind, long version) {
        tell(kind).bookmark(version);
    }

    /** Records that an object or event of the kind's feed was rejected for lack of room. */
    public void refuse(ObjectKind kind) {
        tell(kind).refuse();
    }

    /** Records an event that does not come from the kind's feed. */
    public void eventFromElsewhere(ObjectKind kind, long version, boolean changed) {
        tell(kind).eventFromElsewhere(version, changed);
    }

    /**
     * Prepares the end of the snapshots of these kinds, before the objects that they did not list are removed.
     *
     * @param versions the versions of the lists; 0 if unknown
     */
    public void beginEnd(Map<ObjectKind, Long> versions, ClusterWriter writer) {
        versions.forEach((kind, version) -> tell(kind).beginEnd(version, writer));
    }

    /** Completes the snapshots of these kinds. */
    public void endSnapshot(Map<ObjectKind, Long> versions) {
        versions.forEach((kind, version) -> tell(kind).end(version));
    }

    /**
     * Publishes changed versions to the engine. Must be called at the end of each write that has recorded something.
     */
    public void publish(ClusterWriter writer) {
        for (; told != 0; told &= told - 1) {
            KindProgress kind = kinds[Integer.numberOfTrailingZeros(told)];
            if (kind.isUnpublished()) {
                kind.publish(writer, clock.getAsLong());
            }
        }
    }

    /** Counts objects or events of a kind that were rejected for any reason. Thread-safe. */
    public void countRefused(ObjectKind kind, long objects) {
        of(kind).countRefused(objects);
    }

    /** Statistics of a kind's feed. Thread-safe. */
    public FeedRecord record(ObjectKind kind) {
        return of(kind).record();
    }

    /**
     * Rejects a query unless the feed of each kind has reported something within {@code most}.
     *
     * @throws RequestException if a feed has not
     */
    void requireHeardWithin(Duration most) {
        Set<ObjectKind> unknown = EnumSet.noneOf(ObjectKind.class);
        Set<ObjectKind> old = EnumSet.noneOf(ObjectKind.class);
        long now = clock.getAsLong();
        long oldest = 0;
        for (ObjectKind kind : ObjectKind.ALL) {
            Long heardAt = of(kind).heardAt();
            if (heardAt == null) {
                unknown.add(kind);
            } else if (now - heardAt > most.toNanos()) {
                old.add(kind);
                oldest = Math.max(oldest, now - heardAt);
            }
        }
        if (!unknown.isEmpty()) {
            throw RequestException.ofKinds(
                    ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                    "no feed of this server has reported " + ObjectKinds.names(unknown) + " yet (freshness.maxAge)",
                    unknown);
        }
        if (!old.isEmpty()) {
            throw RequestException.ofKinds(
                    ErrorReason.ERROR_REASON_STATE_TOO_OLD,
                    "the feed of " + ObjectKinds.names(old) + " must have reported within "
                            + seconds(most.toNanos()) + ", last reported " + seconds(oldest)
                            + " ago (freshness.maxAge)",
                    old);
        }
    }

    private static String seconds(long nanos) {
        return BigDecimal.valueOf(nanos, 9).setScale(1, RoundingMode.HALF_UP) + " s";
    }

    /** True if the state lacks objects of the kind's feed for lack of room. Thread-safe. */
    boolean isFull(ObjectKind kind) {
        return of(kind).isFull();
    }
}
