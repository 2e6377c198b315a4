package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.index.NodeFit;
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
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A plan: an incoming pod compiled to the spread groups that answer for it. {@link PlanPins#plan} makes it; all pods
 * that are equal as {@link IncomingPod}s share one. Callers may keep a plan: a stale one (its groups were dropped, or
 * the owners of its namespace have changed) is replaced by the engine when it is used.
 *
 * <p>Under default constraints, pods can have different labels and controllers and still get the same selector from
 * their owners, for example the pods of a stateful set. A plan {@link #forPod} such a pod shares everything with the
 * stored plan of another pod, except which pod it belongs to and when that pod's owners were checked.
 */
public final class PodPlan {
    /** Bytes of the plan itself and its entry in the cache. */
    private static final long OWN_BYTES = 512;

    private static final long BYTES_A_CONSTRAINT = 128;

    /** The plan was removed; the last call that holds it releases its parts. */
    private static final int RETIRED = 1 << 30;

    /** Its parts are released. */
    private static final int DROPPED = 1 << 31;

    /** Identifies the plan in objects that must not keep it in memory. */
    public final Object identity = new Object();

    private final ClusterView cluster;
    private final IncomingPod pod;
    private final SpreadDefaults defaults;
    public final PlannedConstraint[] hard;
    public final PlannedConstraint[] soft;
    private final SpreadGroup[] groups;

    /**
     * The joint histogram for the soft constraints, if one of them is over a narrow topology and the other over single
     * nodes; otherwise null.
     */
    public final @Nullable JointHistogram joint;

    public final boolean fromDefaults;
    public final boolean ignoresIncompleteNodes;
    public final NodePredicate schedulable;
    public final NodePredicate tolerated;
    public final @Nullable NodePredicate affine;
    public final NodeFit fit;

    /** The only nodes that each required term names; null if a term names none. */
    public final @Nullable Set<String> namedNodes;

    private final @Nullable PodSelector ownersSelector;

    /** The version of the namespace's owners at which they were last known to give that selector. */
    private volatile long ownersVersion;

    /** {@link ClusterView#ownersChanges} when the plan was last known to be valid. */
    private volatile long heldAt = -1;

    private long ownBytes;
    private long bytes;

    /** [ RETIRED or DROPPED | how many calls hold it ]. */
    private final AtomicInteger state;

    /** The stored plan whose parts this one uses: itself, or that of another pod. */
    private final PodPlan stored;

    private volatile boolean used;

    /** @param cluster the view of the engine for which the plan is compiled */
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
            NodeFit fit,
            @Nullable Set<String> namedNodes,
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
        this.fit = fit;
        this.namedNodes = namedNodes;
        this.ownersSelector = ownersSelector;
        this.ownersVersion = ownersVersion;
        this.state = new AtomicInteger();
        this.stored = this;
    }

    private PodPlan(PodPlan stored, IncomingPod pod) {
        this.cluster = stored.cluster;
        this.pod = pod;
        this.defaults = stored.defaults;
        this.hard = stored.hard;
        this.soft = stored.soft;
        this.joint = stored.joint;
        this.groups = stored.groups;
        this.fromDefaults = stored.fromDefaults;
        this.ignoresIncompleteNodes = stored.ignoresIncompleteNodes;
        this.schedulable = stored.schedulable;
        this.tolerated = stored.tolerated;
        this.affine = stored.affine;
        this.fit = stored.fit;
        this.namedNodes = stored.namedNodes;
        this.ownersSelector = stored.ownersSelector;
        this.ownersVersion = cluster.ownersVersion(pod.namespace());
        this.heldAt = cluster.ownersChanges();
        this.state = stored.state;
        this.stored = stored;
    }

    /**
     * This plan for another pod, which gets the same selector from its owners and is otherwise equal to the plan's pod
     * in all that answers depend on. Called under the engine's lock.
     */
    PodPlan forPod(IncomingPod other) {
        return new PodPlan(this, other);
    }

    /** The stored plan that has the parts. */
    PodPlan stored() {
        return stored;
    }

    /** The selector that default constraints got from owners; null if the constraints are the pod's own. */
    @Nullable
    PodSelector ownersSelector() {
        return ownersSelector;
    }

    /** The same plan with other constraints, which have their own counts; see {@link PlanFork}. */
    PodPlan over(
            PlannedConstraint[] otherHard,
            PlannedConstraint[] otherSoft,
            @Nullable NodePredicate otherAffine,
            NodeFit otherFit) {
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
                otherFit,
                namedNodes,
                ownersSelector,
                ownersVersion);
    }

    /** The same plan with another fit, such as a fork. */
    public PodPlan withFit(NodeFit other) {
        return over(hard, soft, affine, other);
    }

    /** Whether a hard constraint counts pods with that namespace and those labels. */
    public boolean counts(String namespace, Map<String, String> labels) {
        for (PlannedConstraint constraint : hard) {
            PodSelector selector = constraint.selector();
            if (selector != null && pod.namespace().equals(namespace) && selector.matches(labels)) {
                return true;
            }
        }
        return false;
    }

    /** The pod for which the plan was compiled. */
    public IncomingPod pod() {
        return pod;
    }

    /** The default constraints with which the plan was compiled. */
    public SpreadDefaults defaults() {
        return defaults;
    }

    /**
     * Rejects a plan of another engine, which would be answered from the wrong cluster.
     *
     * @throws IllegalArgumentException if the plan belongs to another engine
     */
    public void requireOf(ClusterView asked) {
        if (cluster != asked) {
            throw new IllegalArgumentException(
                    "plan must come from the engine that is asked, but comes from another engine"
                            + " (plan of a pod in namespace "
                            + pod.namespace() + "); get a plan from this engine with plan(pod, defaults)");
        }
    }

    /** Whether any constraint is in force. */
    public boolean isConstrained() {
        return hard.length + soft.length > 0;
    }

    /**
     * The groups of its constraints, each once, in the order of the constraints. Those of a copy are in the same order.
     */
    public SpreadGroup[] groups() {
        return groups;
    }

    /** The same groups in the best order for building: wide ones first, since others can be summed up from them. */
    public List<SpreadGroup> groupsToBuild() {
        return Arrays.stream(groups)
                .sorted(Comparator.comparing(group -> !group.topology().isWide()))
                .toList();
    }

    /**
     * A number that increases with every change that an answer to the plan can depend on: changes of nodes, and of pods
     * that its groups count. Called under the engine's lock.
     *
     * @param fitting whether the answer also depends on what is free on nodes
     */
    public long moves(boolean fitting) {
        long moves = cluster.nodeMoves() + (fitting ? cluster.resourceMoves() : 0);
        for (SpreadGroup group : groups) {
            moves += group.moves();
        }
        return moves;
    }

    /** Whether the plan is known to be valid at {@code ownersChanges}; false if unknown. Needs no lock. */
    public boolean isKnownValid(long ownersChanges) {
        return !isDropped() && (ownersSelector == null || heldAt == ownersChanges);
    }

    /**
     * Whether the plan is valid. After a change of the namespace's owners, their selector is compared once. Called
     * under the engine's lock.
     */
    public boolean isCurrent() {
        if (isDropped()) {
            return false;
        }
        if (ownersSelector == null) {
            return true;
        }
        long version = cluster.ownersVersion(pod.namespace());
        if (version != ownersVersion && !ownersSelector.equals(PlanSources.ownersSelector(pod, defaults, cluster))) {
            return false;
        }
        // Several readers may write these fields at the same time: under the lock, all write the same values.
        if (version != ownersVersion) {
            ownersVersion = version;
        }
        if (heldAt != cluster.ownersChanges()) {
            heldAt = cluster.ownersChanges();
        }
        return true;
    }

    /** Whether its parts are released. */
    boolean isDropped() {
        return state.get() < 0;
    }

    /** Keeps its parts until it is unpinned as often as it was pinned; returns false if they are released already. */
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

    /**
     * Removes a pin; returns whether it was the last pin of a retired plan, so that the caller must release its parts.
     */
    boolean unpin() {
        return state.decrementAndGet() == RETIRED && drop(RETIRED);
    }

    /** Marks the plan as removed; returns whether no call holds it, so that the caller must release its parts. */
    boolean retire() {
        return drop(0) || state.addAndGet(RETIRED) == RETIRED && drop(RETIRED);
    }

    /**
     * Marks the plan as released if no call holds it. After that no call can hold it, and the caller must release its
     * parts.
     */
    boolean drop() {
        return drop(0);
    }

    private boolean drop(int from) {
        return state.compareAndSet(from, DROPPED);
    }

    boolean isPinned() {
        return state.get() > 0;
    }

    /** Roughly how many bytes the plan takes without shared parts; 0 until it is stored. */
    long ownBytes() {
        return ownBytes;
    }

    /** Roughly how many bytes it takes with the parts that no other plan used when it was stored; 0 before. */
    public long bytes() {
        return stored.bytes;
    }

    /** The parts that have grown since they were acquired: groups and topologies, which are built now. */
    Stream<IndexPart> parts() {
        return Stream.concat(
                Arrays.stream(groups),
                Stream.of(hard, soft)
                        .flatMap(Arrays::stream)
                        .flatMap(constraint ->
                                Stream.of(constraint.label(), constraint.domains(), constraint.domains().topology)));
    }

    /** The conditions on nodes that it uses, itself or by its groups. */
    Stream<NodePredicate> conditions() {
        Stream<NodePredicate> ofGroups = Stream.of(hard, soft)
                .flatMap(Arrays::stream)
                .flatMap(constraint -> Arrays.stream(constraint.domains().eligibility.predicates));
        return affine == null ? ofGroups : Stream.concat(ofGroups, Stream.of(affine));
    }

    /** Computes its bytes, including the parts of the index that no other plan uses. */
    void countBytes() {
        // The cache keeps a second pod, reduced to what the owners' selector names.
        long pods = ownersSelector == null ? pod.bytes() : 2 * pod.bytes();
        ownBytes = OWN_BYTES + (hard.length + soft.length) * BYTES_A_CONSTRAINT + pods + defaults.bytes();
        bytes = ownBytes + bytesOfNobodyElse();
    }

    private long bytesOfNobodyElse() {
        long parts = fit.bytesOfNobodyElse() + (affine == null ? 0 : affine.bytesOfNobodyElse());
        for (SpreadGroup group : groups) {
            parts += group.bytesOfNobodyElse()
                    + group.selector.bytesOfNobodyElse()
                    + group.domains.eligibility.bytesOfNobodyElse();
        }
        return parts;
    }

    /** Records that the plan was used. */
    public void use() {
        if (!stored.used) {
            stored.used = true;
        }
    }

    boolean wasUsed() {
        return used;
    }

    /** Clears the mark that {@link #use} sets; returns whether it was set. */
    boolean forgetUse() {
        boolean was = used;
        used = false;
        return was;
    }
}
