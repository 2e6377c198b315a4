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
     * Sets whether the next changes in this batch come from a source other than the feed of their kind, so that they
     * are not ordered relative to its snapshot. Each batch begins with changes of the feed.
     */
    void setFromElsewhere(boolean elsewhere);

    /**
     * Applies a change of a node; returns whether it changed anything. An event that is not newer than the version
     * stored for its UID changes nothing.
     */
    boolean apply(Change change, NodeObject node);

    /** The same for a pod. A pod may name a node that is not known yet: it counts once the node appears. */
    boolean apply(Change change, PodRecord pod);

    /**
     * Adds a pod that is not stored on a node, whatever node the record names, as no event does. For hypothetical
     * clusters.
     *
     * @throws IllegalArgumentException if the pod is stored
     */
    void add(PodRecord pod, int slot);

    /**
     * Announces the pods that will be applied next, so that the processor loads what is stored about them into its
     * cache, for all of them at once. Changes nothing.
     */
    void expect(List<PodRecord> coming);

    /** The same for a pod given as values. */
    default boolean apply(Change change, PodObject pod) {
        return apply(change, PodRecord.of(pod));
    }

    /**
     * Moves a stored pod to another node, or takes it from its node, as no event does. For hypothetical clusters.
     *
     * @param pod its id in the store
     * @param slot of the node; -1 for none
     */
    void move(int pod, int slot);

    /** The same for a service, a controller or a disruption budget. */
    boolean apply(Change change, NamespacedObject<?> object);

    /**
     * Counts a pod as placed before the watch shows it bound.
     *
     * @param timeToLive the time after which the assumption expires unless the watch confirms it; null for never
     */
    Assumption assume(PodRecord pod, String node, @Nullable Duration timeToLive);

    /** The same for a pod given as values. */
    default Assumption assume(PodObject pod, String node, @Nullable Duration timeToLive) {
        return assume(PodRecord.of(pod), node, timeToLive);
    }

    /** Reverts an assumption; returns whether there was one. */
    boolean forget(String uid);

    /**
     * Expires assumptions whose time to live has passed, until {@link #isTimeUp}. Call it again in another batch as
     * long as {@link #isExpiring}.
     *
     * @return how many it expired
     */
    int expireAssumptions();

    /** Whether {@link #expireAssumptions} has not yet checked all assumptions. */
    boolean isExpiring();

    /**
     * Begins a snapshot of each of these kinds, and replaces a snapshot of the kind that is in progress. When it ends,
     * objects that the kind's feed has reported since are kept; those reported from elsewhere
     * ({@link #setFromElsewhere}) are kept if they are newer than the list. An event that is older than the stored
     * object has no effect. Snapshots of other kinds continue.
     */
    void beginSnapshot(Set<ObjectKind> kinds);

    /**
     * Removes objects of these kinds that were not reported since the snapshot of their kind began, until
     * {@link #isTimeUp}: they are deleted at the version of the list. Pods that are known only from an assumption stay.
     * Call it again in another batch as long as {@link #isSnapshotInProgress} for any of the kinds.
     *
     * @param lists the kinds, each with the version of its list; 0 if unknown
     * @return how many objects it removed
     * @throws IllegalStateException if no snapshot of these kinds is in progress
     */
    int sweepSnapshot(Map<ObjectKind, Long> lists);

    /** Whether a snapshot of this kind was begun, and was neither abandoned nor swept to its end. */
    boolean isSnapshotInProgress(ObjectKind kind);

    /** Whether a snapshot of any of these kinds is under way. */
    default boolean isSnapshotInProgress(Set<ObjectKind> kinds) {
        return kinds.stream().anyMatch(this::isSnapshotInProgress);
    }

    /** Aborts the snapshots of these kinds that are in progress: nothing more is removed. */
    void abandonSnapshot(Set<ObjectKind> kinds);

    /**
     * Sets how current the state of a kind of object is: see {@link KindVersions}. The revision stays, because no
     * answer changes.
     */
    void setVersions(ObjectKind kind, long reported, long held);

    /** The version up to which the state includes every event of the kind; 0 if unknown. */
    long heldVersion(ObjectKind kind);

    /** Whether this batch has used up its time. Readers wait for it, so the rest should go into another batch. */
    boolean isTimeUp();

    /** The revision after the changes so far. */
    long revision();
}
