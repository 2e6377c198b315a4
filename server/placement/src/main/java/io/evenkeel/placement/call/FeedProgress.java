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
 * How far the feeds have got in each kind of object. It changes only within writes of the engine, of which there is one
 * at a time, and sets the {@link KindVersions} of the engine in {@link #publish}.
 */
public final class FeedProgress {
    /** By the kinds' ordinals. */
    private final KindProgress[] kinds;

    private final LongSupplier clock;

    /** The kinds of which something was told since the last publication: a bit for each. Used within writes only. */
    private int told;

    /** @param clock nanoseconds from any origin */
    public FeedProgress(LongSupplier clock) {
        this.clock = clock;
        kinds = ObjectKind.ALL.stream().map(KindProgress::new).toArray(KindProgress[]::new);
    }

    private KindProgress of(ObjectKind kind) {
        return kinds[kind.ordinal()];
    }

    /** The progress of a kind of which something is told. */
    private KindProgress tell(ObjectKind kind) {
        told |= 1 << kind.ordinal();
        return of(kind);
    }

    /** Snapshots of these kinds begin. */
    public void beginSnapshot(Set<ObjectKind> begun) {
        begun.forEach(kind -> tell(kind).begin());
    }

    /**
     * The snapshot under way tells of an object.
     *
     * @param version 0 where it has none
     * @param changed whether the state is another one now
     */
    public void list(ObjectKind kind, long version, boolean changed) {
        tell(kind).list(version, changed);
    }

    /**
     * The feed of the kind tells of an event.
     *
     * @param version 0 where it has none
     * @param changed whether the state is another one now
     */
    public void event(ObjectKind kind, long version, boolean changed) {
        tell(kind).event(version, changed);
    }

    /** The feed of the kind has got to this version. */
    public void bookmark(ObjectKind kind, long version) {
        tell(kind).bookmark(version);
    }

    /** There is no room for an object or an event of the kind's feed. */
    public void refuse(ObjectKind kind) {
        tell(kind).refuse();
    }

    /** As {@link #event}, where the event does not come from the kind's feed. */
    public void eventFromElsewhere(ObjectKind kind, long version, boolean changed) {
        tell(kind).eventFromElsewhere(version, changed);
    }

    /**
     * The snapshots of these kinds begin to end: what they did not name will be removed.
     *
     * @param versions the lists' versions; 0 where one is not known
     */
    public void beginEnd(Map<ObjectKind, Long> versions, ClusterWriter writer) {
        versions.forEach((kind, version) -> tell(kind).beginEnd(version, writer));
    }

    /** The snapshots of these kinds are complete. */
    public void endSnapshot(Map<ObjectKind, Long> versions) {
        versions.forEach((kind, version) -> tell(kind).end(version));
    }

    /** Tells the engine what has changed. To be called at the end of each write that has told something. */
    public void publish(ClusterWriter writer) {
        for (; told != 0; told &= told - 1) {
            KindProgress kind = kinds[Integer.numberOfTrailingZeros(told)];
            if (kind.isUnpublished()) {
                kind.publish(writer, clock.getAsLong());
            }
        }
    }

    /** Counts objects or events of a kind that were refused, for whatever reason. Any thread may call it. */
    public void countRefused(ObjectKind kind, long objects) {
        of(kind).countRefused(objects);
    }

    /** What the feed of a kind has told so far, for people. Any thread may ask. */
    public FeedRecord record(ObjectKind kind) {
        return of(kind).record();
    }

    /**
     * Refuses a query that demands that each kind's feed was heard of within {@code most}.
     *
     * @throws RequestException where one was not
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
                    "no feed of this server has told anything of " + ObjectKinds.names(unknown) + " (freshness.maxAge)",
                    unknown);
        }
        if (!old.isEmpty()) {
            throw RequestException.ofKinds(
                    ErrorReason.ERROR_REASON_STATE_TOO_OLD,
                    "the feed of " + ObjectKinds.names(old) + " must have been heard of within "
                            + seconds(most.toNanos()) + ", was last heard of " + seconds(oldest)
                            + " ago (freshness.maxAge)",
                    old);
        }
    }

    private static String seconds(long nanos) {
        return BigDecimal.valueOf(nanos, 9).setScale(1, RoundingMode.HALF_UP) + " s";
    }

    /** Whether the state lacks something of the kind's feed for which there was no room. Any thread may ask. */
    boolean isFull(ObjectKind kind) {
        return of(kind).isFull();
    }
}
