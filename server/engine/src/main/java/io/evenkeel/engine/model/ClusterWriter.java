package io.evenkeel.engine.model;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes the cluster's state in an engine, within {@code SpreadEngine.write}. Each call that changes something makes a
 * new revision.
 */
public interface ClusterWriter {
    /**
     * Says whether the changes that are applied next in this batch come from elsewhere than the feed of their kind, so
     * that they are in no order with its snapshot. Each batch begins with changes of the feed.
     */
    void setFromElsewhere(boolean elsewhere);

    /**
     * Applies a change of a node; returns whether it changed anything. An event that is not newer than what is stored
     * for its UID changes nothing.
     */
    boolean apply(Change change, NodeObject node);

    /** The same for a pod. A pod may name a node that is not known yet: it counts once the node appears. */
    boolean apply(Change change, PodRecord pod);

    /**
     * Announces the pods that will be applied next, so that the processor reads what is stored about them into its
     * cache, for all of them at a time. Changes nothing.
     */
    void expect(List<PodRecord> coming);

    /** The same for a pod in values. */
    default boolean apply(Change change, PodObject pod) {
        return apply(change, PodRecord.of(pod));
    }

    /** The same for a service or controller. */
    boolean apply(Change change, OwnerObject owner);

    /**
     * Counts a pod as placed before the watch shows it bound.
     *
     * @param timeToLive after what time the assumption ends, unless the watch confirms it; null is never
     */
    Assumption assume(PodRecord pod, String node, @Nullable Duration timeToLive);

    /** The same for a pod in values. */
    default Assumption assume(PodObject pod, String node, @Nullable Duration timeToLive) {
        return assume(PodRecord.of(pod), node, timeToLive);
    }

    /** Takes an assumption back; returns whether there was one. */
    boolean forget(String uid);

    /**
     * Takes back assumptions whose time to live has passed, until {@link #isTimeUp}. To be called again in another
     * batch, as long as {@link #isExpiring}.
     *
     * @return how many it took back
     */
    int expireAssumptions();

    /** Whether {@link #expireAssumptions} has not yet looked at all assumptions. */
    boolean isExpiring();

    /**
     * Begins a snapshot of each of these kinds, in place of one of the kind that is under way. Objects of the kind that
     * its feed tells from now on are kept when it ends, and those told from elsewhere ({@link #setFromElsewhere}) where
     * they are newer than the list. An event that is older than what is stored tells nothing. Snapshots of other kinds
     * go on.
     */
    void beginSnapshot(Set<ObjectKind> kinds);

    /**
     * Removes objects of these kinds that were not told since the snapshot of their kind began, until
     * {@link #isTimeUp}: they are deleted at the version of the list. Pods that are known from an assumption alone
     * stay. To be called again in another batch, as long as {@link #isSnapshotUnderWay} of any of the kinds.
     *
     * @param lists the kinds, each with the version of its list; 0 if that is not told
     * @return how many objects it removed
     * @throws IllegalStateException where no snapshot of these kinds is under way
     */
    int sweepSnapshot(Map<ObjectKind, Long> lists);

    /** Whether a snapshot of this kind was begun, and was neither abandoned nor swept to its end. */
    boolean isSnapshotUnderWay(ObjectKind kind);

    /** Whether that is so for any of these kinds. */
    default boolean isSnapshotUnderWay(Set<ObjectKind> kinds) {
        return kinds.stream().anyMatch(this::isSnapshotUnderWay);
    }

    /** Abandons the snapshots of these kinds that are under way: nothing more is removed. */
    void abandonSnapshot(Set<ObjectKind> kinds);

    /**
     * Sets how far the state has got in a kind of object: see {@link KindVersions}. The revision stays, since no answer
     * changes by it.
     */
    void setVersions(ObjectKind kind, long told, long held);

    /** The version up to which the state holds every event of the kind; 0 if that is not known. */
    long heldVersion(ObjectKind kind);

    /**
     * Whether this batch has taken its share of time. Readers wait for it, so the rest should go into another batch.
     */
    boolean isTimeUp();

    /** The revision after the changes so far. */
    long revision();
}
