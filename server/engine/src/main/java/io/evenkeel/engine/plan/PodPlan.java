package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.index.NodePredicate;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.memory.IndexPart;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.store.ClusterView;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An incoming pod compiled to the spread groups that answer for it. Made by {@code SpreadEngine.plan}; all pods that
 * are equal as {@link IncomingPod}s share one. A plan that has gone stale (its groups dropped, or the owners of its
 * namespace changed) is replaced by the engine where it is used, so it may be kept.
 */
public final class PodPlan {
    /** The plan itself and its place among those that are kept. */
    private static final long OWN_BYTES = 512;

    private static final long BYTES_A_CONSTRAINT = 128;

    /** Nobody finds it any more; the last call that holds it lets its parts go. */
    private static final int RETIRED = 1 << 30;

    /** Its parts are let go. */
    private static final int DROPPED = 1 << 31;

    private final ClusterView cluster;
    private final IncomingPod pod;
    private final SpreadDefaults defaults;
    public final PlannedConstraint[] hard;
    public final PlannedConstraint[] soft;
    private final SpreadGroup[] groups;

    /**
     * What the soft constraints find in the whole cluster, where they are one over a narrow topology and one over
     * single nodes; else null.
     */
    public final @Nullable JointHistogram joint;

    public final boolean fromDefaults;
    public final boolean ignoresIncompleteNodes;
    public final NodePredicate schedulable;
    public final NodePredicate tolerated;
    public final @Nullable NodePredicate affine;

    /** The selector that owners give the constraints; null where they are the pod's own. */
    private final @Nullable PodSelector ownersSelector;

    /** The version of the namespace's owners at which they were last found to give that selector. */
    private volatile long ownersVersion;

    /** {@link ClusterView#ownersChanges} when it was last found to hold. */
    private volatile long heldAt = -1;

    private long ownBytes;
    private long bytes;

    /** [ RETIRED or DROPPED | how many calls hold it ]. */
    private final AtomicInteger state = new AtomicInteger();

    private volatile boolean used;

    /** @param cluster of the engine that the plan is for */
    PodPlan(
            ClusterView cluster,
            IncomingPod pod,
            SpreadDefaults defaults,
            PlannedConstraint[] hard,
            PlannedConstraint[] soft,
            @Nullable JointHistogram joint,
            boolean fromDefaults,
            NodePredicate schedulable,
            NodePredicate tolerated,
            @Nullable NodePredicate affine,
            @Nullable PodSelector ownersSelector,
            long ownersVersion) {
        this.cluster = cluster;
        this.pod = pod;
        this.defaults = defaults;
        this.hard = hard;
        this.soft = soft;
        this.joint = joint;
        this.groups = Stream.of(hard, soft)
                .flatMap(Arrays::stream)
                .map(PlannedConstraint::group)
                .filter(Objects::nonNull)
                .distinct()
                .toArray(SpreadGroup[]::new);
        this.fromDefaults = fromDefaults;
        this.ignoresIncompleteNodes = !(fromDefaults && defaults.system());
        this.schedulable = schedulable;
        this.tolerated = tolerated;
        this.affine = affine;
        this.ownersSelector = ownersSelector;
        this.ownersVersion = ownersVersion;
    }

    /** The same plan over other constraints, which count apart; for its maker alone. */
    PodPlan over(PlannedConstraint[] otherHard, PlannedConstraint[] otherSoft, @Nullable NodePredicate otherAffine) {
        return new PodPlan(
                cluster,
                pod,
                defaults,
                otherHard,
                otherSoft,
                null,
                fromDefaults,
                schedulable,
                tolerated,
                otherAffine,
                ownersSelector,
                ownersVersion);
    }

    /** What the plan was made for. */
    public IncomingPod pod() {
        return pod;
    }

    /** The cluster-level defaults that the plan was made with. */
    public SpreadDefaults defaults() {
        return defaults;
    }

    /**
     * Refuses a plan whose groups are not of {@code asked}: it would be answered from another cluster.
     *
     * @throws IllegalArgumentException where it is another engine's
     */
    public void requireOf(ClusterView asked) {
        if (cluster != asked) {
            throw new IllegalArgumentException(
                    "plan must be made by the engine that is asked, was made by another one (plan of a pod in namespace "
                            + pod.namespace() + "); ask this engine for its own with plan(pod, defaults)");
        }
    }

    /** Whether any constraint is in force. */
    public boolean isConstrained() {
        return hard.length + soft.length > 0;
    }

    /** The groups that it counts by, each once, in the order of the constraints: a copy's stand in the same places. */
    public SpreadGroup[] groups() {
        return groups;
    }

    /** The same in the order in which they are built best: wide ones first, since others may take their sums. */
    public List<SpreadGroup> groupsToBuild() {
        return Arrays.stream(groups)
                .sorted(Comparator.comparing(group -> !group.topology().isWide()))
                .toList();
    }

    /**
     * Under the engine's lock: grows whenever anything moves that an answer to the plan can rest on, which are nodes
     * and the pods that its groups count.
     */
    public long moves() {
        long moves = cluster.nodeMoves();
        for (SpreadGroup group : groups) {
            moves += group.moves();
        }
        return moves;
    }

    /**
     * Without the lock: whether the plan held when owners had last changed as {@code ownersChanges} says. Where that is
     * not known, false.
     */
    public boolean isKnownToHold(long ownersChanges) {
        return state.get() >= 0 && (ownersSelector == null || heldAt == ownersChanges);
    }

    /**
     * Under the engine's lock: whether the plan still holds. Where other owners of the namespace have changed, that is
     * found out once.
     */
    public boolean isCurrent() {
        if (state.get() < 0) {
            return false;
        }
        if (ownersSelector == null) {
            return true;
        }
        long version = cluster.ownersVersion(pod.namespace());
        if (version != ownersVersion && !cluster.defaultSelector(pod).equals(ownersSelector)) {
            return false;
        }
        // Several readers may write these at once: under one lock all write the same.
        if (version != ownersVersion) {
            ownersVersion = version;
        }
        if (heldAt != cluster.ownersChanges()) {
            heldAt = cluster.ownersChanges();
        }
        return true;
    }

    /**
     * Has its parts kept until it is unpinned as often as it was pinned; answers false where they are let go already.
     */
    boolean pin() {
        int now = state.get();
        while (now >= 0) {
            if (state.compareAndSet(now, now + 1)) {
                return true;
            }
            now = state.get();
        }
        return false;
    }

    /** Takes a pin back; answers whether it was the last and the plan is retired, so that the caller must drop it. */
    boolean unpin() {
        return state.decrementAndGet() == RETIRED && drop(RETIRED);
    }

    /** Nobody will find the plan; answers whether it is dropped, which no call's pin prevented. */
    boolean retire() {
        return drop(0) || state.addAndGet(RETIRED) == RETIRED && drop(RETIRED);
    }

    /** Where no call holds it: no call will, and the caller lets its parts go. */
    boolean drop() {
        return drop(0);
    }

    private boolean drop(int from) {
        return state.compareAndSet(from, DROPPED);
    }

    boolean isPinned() {
        return state.get() > 0;
    }

    /** About what the plan takes without the parts that others may share; 0 until it is stored. */
    long ownBytes() {
        return ownBytes;
    }

    /** About what it takes with all parts that it was the only one to use when it was made; 0 until then. */
    long bytes() {
        return bytes;
    }

    /**
     * What it counts by, which has grown since it was acquired: its groups are built, and topologies have taken nodes
     * in.
     */
    Stream<IndexPart> parts() {
        return Stream.concat(
                Arrays.stream(groups),
                Stream.of(hard, soft)
                        .flatMap(Arrays::stream)
                        .flatMap(constraint ->
                                Stream.of(constraint.label(), constraint.domains(), constraint.domains().topology)));
    }

    /** The conditions on nodes that it asks for, itself or for its groups. */
    Stream<NodePredicate> conditions() {
        Stream<NodePredicate> ofGroups = Stream.of(hard, soft)
                .flatMap(Arrays::stream)
                .flatMap(constraint -> Arrays.stream(constraint.domains().eligibility.predicates));
        return affine == null ? ofGroups : Stream.concat(ofGroups, Stream.of(affine));
    }

    /** Sums up what it takes, with the parts of the index that no other plan uses. */
    void countBytes() {
        ownBytes = OWN_BYTES + (hard.length + soft.length) * BYTES_A_CONSTRAINT + pod.bytes() + defaults.bytes();
        bytes = ownBytes + bytesOfNobodyElse();
    }

    private long bytesOfNobodyElse() {
        long parts = affine == null ? 0 : affine.bytesOfNobodyElse();
        for (SpreadGroup group : groups) {
            parts += group.bytesOfNobodyElse()
                    + group.selector.bytesOfNobodyElse()
                    + group.domains.eligibility.bytesOfNobodyElse();
        }
        return parts;
    }

    /** Notes that the plan was used just now. */
    public void use() {
        if (!used) {
            used = true;
        }
    }

    boolean wasUsed() {
        return used;
    }

    /** Answers whether the plan was used since this was last called. */
    boolean forgetUse() {
        boolean was = used;
        used = false;
        return was;
    }
}
