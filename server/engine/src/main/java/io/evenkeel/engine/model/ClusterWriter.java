package io.evenkeel.engine.model;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What can be told to an engine, within {@code SpreadEngine.write}. Each change that changes something makes a
 * revision.
 */
public interface ClusterWriter {
    /** Answers whether it changed anything: an event that is not newer than what is known of its UID does not. */
    boolean apply(Change change, NodeObject node);

    /** As for nodes. A pod may name a node that is not known yet: it counts when the node comes. */
    boolean apply(Change change, PodRecord pod);

    /**
     * Tells which pods will be applied next, so that what is known of them is fetched from memory all at once. Changes
     * nothing.
     */
    void expect(List<PodRecord> coming);

    /** The same for a pod in values. */
    default boolean apply(Change change, PodObject pod) {
        return apply(change, PodRecord.of(pod));
    }

    /** As for nodes. */
    boolean apply(Change change, OwnerObject owner);

    /**
     * Counts a pod as placed before the watch shows it bound.
     *
     * @param timeToLive how long, unless confirmed; null is for ever
     */
    Assumption assume(PodRecord pod, String node, @Nullable Duration timeToLive);

    /** The same for a pod in values. */
    default Assumption assume(PodObject pod, String node, @Nullable Duration timeToLive) {
        return assume(PodRecord.of(pod), node, timeToLive);
    }

    /** Takes an assumption back; answers whether there was one. */
    boolean forget(String uid);

    /**
     * Takes back some of the assumptions whose time has come: as many as {@link #isTimeUp} leaves time for. To be
     * called again, in another batch, while {@link #isExpiring}.
     *
     * @return how many
     */
    int expireAssumptions();

    /** Whether {@link #expireAssumptions} has not yet looked at all. */
    boolean isExpiring();

    /** Begins a snapshot, in place of one under way: what is named from now on will be kept at its end. */
    void beginSnapshot();

    /**
     * Removes some of what was not named since the snapshot began, but for pods known from an assumption alone: as much
     * as {@link #isTimeUp} leaves time for. To be called again, in another batch, while {@link #isSnapshotUnderWay};
     * what is named meanwhile stays.
     *
     * @return how many objects
     * @throws IllegalStateException where no snapshot is under way
     */
    int sweepSnapshot();

    /** Whether a snapshot was begun and neither swept to its end nor abandoned. */
    boolean isSnapshotUnderWay();

    /** Breaks the snapshot under way off, if any: nothing more is removed. */
    void abandonSnapshot();

    /** Whether this batch has made readers wait long enough: what is left to do should go into the next one. */
    boolean isTimeUp();

    /** The revision so far. */
    long revision();
}
