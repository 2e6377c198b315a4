package io.evenkeel.engine;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An incoming pod compiled to the spread groups that answer for it. Made by {@link SpreadEngine#plan}; all pods that are equal as {@link IncomingPod}s share one. A plan
 * that has gone stale (its groups dropped, or the owners of its namespace changed) is replaced by the engine where it is used, so it may be kept.
 */
public final class PodPlan {
    private final ClusterStore store;
    private final IncomingPod pod;
    private final DefaultConstraints defaults;
    final PlannedConstraint[] hard;
    final PlannedConstraint[] soft;
    private final SpreadGroup[] groups;

    /** What the soft constraints find in the whole cluster, where they are one over a narrow topology and one over single nodes; else null. */
    final @Nullable JointHistogram joint;

    final boolean fromDefaults;
    final boolean ignoresIncompleteNodes;
    final NodePredicate schedulable;
    final NodePredicate tolerated;
    final @Nullable NodePredicate affine;

    /** The version of the namespace's owners that the selectors rest on, or -1 where they don't. */
    final long ownersVersion;

    private boolean dropped;
    private volatile boolean used;

    /** @param store of the engine that the plan is for */
    PodPlan(
            ClusterStore store,
            IncomingPod pod,
            DefaultConstraints defaults,
            PlannedConstraint[] hard,
            PlannedConstraint[] soft,
            @Nullable JointHistogram joint,
            boolean fromDefaults,
            NodePredicate schedulable,
            NodePredicate tolerated,
            @Nullable NodePredicate affine,
            long ownersVersion) {
        this.store = store;
        this.pod = pod;
        this.defaults = defaults;
        this.hard = hard;
        this.soft = soft;
        this.joint = joint;
        this.groups = Stream.of(hard, soft)
                .flatMap(Arrays::stream)
                .map(PlannedConstraint::group)
                .filter(Objects::nonNull)
                .sorted(Comparator.comparing(group -> !group.topology().isWide()))
                .toArray(SpreadGroup[]::new);
        this.fromDefaults = fromDefaults;
        this.ignoresIncompleteNodes = !(fromDefaults && defaults.system());
        this.schedulable = schedulable;
        this.tolerated = tolerated;
        this.affine = affine;
        this.ownersVersion = ownersVersion;
    }

    /** What the plan was made for. */
    public IncomingPod pod() {
        return pod;
    }

    /** The cluster-level defaults that the plan was made with. */
    public DefaultConstraints defaults() {
        return defaults;
    }

    /**
     * Refuses a plan whose groups are not of {@code asked}: it would be answered from another cluster.
     *
     * @throws IllegalArgumentException where it is another engine's
     */
    void requireOf(ClusterStore asked) {
        if (store != asked) {
            throw new IllegalArgumentException(
                    "plan must be made by the engine that is asked, was made by another one (plan of a pod in namespace "
                            + pod.namespace() + "); ask this engine for its own with plan(pod, defaults)");
        }
    }

    /** Whether any constraint is in force. */
    public boolean isConstrained() {
        return hard.length + soft.length > 0;
    }

    /** The groups that it counts by; in the order in which they are built best, wide ones first. */
    SpreadGroup[] groups() {
        return groups;
    }

    /** Under the engine's lock: grows with every pod that is counted in or out of its groups. */
    long moves() {
        long moves = 0;
        for (SpreadGroup group : groups) {
            moves += group.moves();
        }
        return moves;
    }

    /** Under the engine's lock: whether the plan still holds. */
    boolean isCurrent(OwnerTable owners) {
        return !dropped && (ownersVersion < 0 || owners.version(pod.namespace()) == ownersVersion);
    }

    void drop() {
        dropped = true;
    }

    /** Notes that the plan was used just now. */
    void use() {
        if (!used) {
            used = true;
        }
    }

    /** Answers whether the plan was used since this was last called. */
    boolean forgetUse() {
        boolean was = used;
        used = false;
        return was;
    }
}
