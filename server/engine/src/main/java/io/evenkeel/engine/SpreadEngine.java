package io.evenkeel.engine;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Evaluator;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.InvalidSlotsException;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.estimate.Problem;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.explain.Explanations;
import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.lock.LockProbe;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.AntiAffinityTerm;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.model.Uid;
import io.evenkeel.engine.overlay.OverlayAttempts;
import io.evenkeel.engine.pending.NodeExample;
import io.evenkeel.engine.pending.PendingProblem;
import io.evenkeel.engine.pending.PlannedPods;
import io.evenkeel.engine.pending.ProblemReader;
import io.evenkeel.engine.plan.PlanCompiler;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.Plans;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.preemption.DryRun;
import io.evenkeel.engine.preemption.Preemption;
import io.evenkeel.engine.preemption.Preemptor;
import io.evenkeel.engine.skew.KnownWorkloads;
import io.evenkeel.engine.skew.SurveyedWorkloads;
import io.evenkeel.engine.skew.WorkloadName;
import io.evenkeel.engine.skew.WorkloadReader;
import io.evenkeel.engine.skew.WorkloadSurvey;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import io.evenkeel.engine.store.GroupBuilder;
import io.evenkeel.engine.store.RevisionWriter;
import io.evenkeel.engine.victims.RankedVictims;
import io.evenkeel.engine.victims.VictimQuestion;
import io.evenkeel.engine.victims.VictimRanking;
import io.evenkeel.engine.watch.PlanWatches;
import io.evenkeel.engine.whatif.WhatIfAnswers;
import io.evenkeel.engine.whatif.WhatIfCase;
import io.evenkeel.engine.whatif.WhatIfs;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine: applies changes of the cluster, and answers questions about incoming pods. It is the entry point for all
 * callers.
 *
 * <p>Any number of threads may read and write. Writes take turns, and exclude reads while their batch lasts. Each read
 * is answered from one revision, which the answer names. New spread groups are built by the thread that asks for them,
 * in slices, so that other threads can run in between.
 */
public final class SpreadEngine {
    /** About as many forks as this may take the same room for plans as the engine itself. */
    private static final int FORKS = 16;

    /** One part in this many of the bytes for plans can be held by watches, so that calls have room too. */
    private static final int PART_OF_WATCHES = 2;

    private final EngineLock lock = new EngineLock();
    private final EngineOptions options;
    private final LongSupplier clock;
    private final Slices slices;
    final ClusterStore store;
    private final ClusterView cluster;
    final Plans plans;
    private final RevisionWriter writer;
    private final PlanEvaluation evaluation;
    private final Evaluator evaluator;
    private final Explanations explanations;
    private final WhatIfs whatIfs;
    private final AtomicLong watchRoom;
    private final List<LongConsumer> listeners = new CopyOnWriteArrayList<>();

    /** The node limit after the last write, for reading without the lock. */
    private volatile int nodeLimit;

    private volatile long ownersChanges;

    /** The node table revision after the last write, for reading without the lock. */
    private volatile long nodeTableRevision;

    public SpreadEngine(EngineOptions options) {
        this(options, System::nanoTime);
    }

    /** @param clock nanoseconds from any origin, for the time to live of assumptions */
    public SpreadEngine(EngineOptions options, LongSupplier clock) {
        this(options, clock, Capacity.LARGEST);
    }

    public SpreadEngine(EngineOptions options, LongSupplier clock, Capacity capacity) {
        this(options, clock, capacity, Slices.STANDARD);
    }

    public SpreadEngine(EngineOptions options, LongSupplier clock, Capacity capacity, Slices slices) {
        this(new ClusterStore(options.narrowUpTo(), options.tombstones(), capacity), options, clock, slices);
    }

    private SpreadEngine(ClusterStore store, EngineOptions options, LongSupplier clock, Slices slices) {
        this.store = store;
        this.options = options;
        this.clock = clock;
        this.slices = slices;
        watchRoom = new AtomicLong(options.maxPlanBytes() / PART_OF_WATCHES);
        nodeLimit = store.nodes.limit();
        ownersChanges = store.owners.changes();
        nodeTableRevision = store.nodes.revision();
        cluster = new ClusterView(store);
        PlanCompiler compiler = new PlanCompiler(cluster, store.index, store.namespaces);
        plans = new Plans(lock, compiler, new GroupBuilder(store, slices.pods()), options, slices);
        writer = new RevisionWriter(store, clock, slices);
        evaluation = new PlanEvaluation(cluster);
        OverlayAttempts attempts = new OverlayAttempts(lock, cluster, slices);
        evaluator = new Evaluator(lock, cluster, plans, slices, evaluation, attempts);
        explanations = new Explanations(lock, cluster, evaluation, attempts);
        whatIfs = new WhatIfs(attempts, cluster);
    }

    /**
     * A copy of the state as it is now, which changes independently of this engine from then on. It has no plans yet,
     * and its plans may take a sixteenth of the bytes that those of this engine may take, because there may be several
     * forks.
     */
    public SpreadEngine fork() {
        EngineOptions smaller = options.withMaxPlanBytes(options.maxPlanBytes() / FORKS);
        return new SpreadEngine(copy(), smaller, clock, slices);
    }

    private ClusterStore copy() {
        synchronized (store) {
            return read(() -> new ClusterStore(store, options.narrowUpTo()));
        }
    }

    // ---- writing

    /**
     * Runs a batch of changes; readers see either none or all of them. Keep the batch short, since readers wait.
     * Listeners are called afterwards, even if the batch throws, because the changes it made before that stay. The
     * batch must not call the engine.
     *
     * @return the revision reached
     */
    public long write(Consumer<ClusterWriter> batch) {
        return judgeAndWrite((changes, evaluation) -> batch.accept(changes));
    }

    /**
     * Same as {@link #write(Consumer)}, but the batch can also evaluate plans, and sees the changes that it has made so
     * far. It may evaluate only plans of this engine for which {@link PodPlan#isCurrent} is true.
     */
    public long judgeAndWrite(BiConsumer<ClusterWriter, PlanEvaluation> batch) {
        long before = 0;
        long after = 0;
        lock.lockWrite();
        try {
            before = store.revision();
            writer.beginBatch();
            batch.accept(writer, evaluation);
        } finally {
            after = store.revision();
            nodeLimit = store.nodes.limit();
            ownersChanges = store.owners.changes();
            if (nodeTableRevision != store.nodes.revision()) {
                nodeTableRevision = store.nodes.revision();
            }
            lock.unlockWrite();
            if (after != before) {
                notifyReached(after);
            }
        }
        return after;
    }

    private void notifyReached(long reached) {
        for (LongConsumer listener : listeners) {
            listener.accept(reached);
        }
    }

    /**
     * Calls {@code listener} with each new revision, without the lock, in the thread that wrote. Revisions may be
     * skipped or arrive out of order. A listener stays registered as long as the engine exists, and must not block.
     */
    public void onRevision(LongConsumer listener) {
        listeners.add(listener);
    }

    /** The revision reached. It increases with every change, and never decreases. */
    public long revision() {
        return store.revision();
    }

    /**
     * Makes {@code probe} measure each hold of the engine's lock from now on, in place of the previous probe; null
     * removes it. Measuring makes holds longer.
     */
    public void probeHolds(@Nullable LockProbe probe) {
        lock.setProbe(probe);
    }

    /**
     * The longest time so far that readers were kept waiting by one batch of changes or one slice of other work, in
     * nanoseconds.
     */
    public long longestWriteNanos() {
        return lock.longestWrite();
    }

    // ---- reading

    /**
     * The plan for a pod. It is compiled if there is none yet, which may take long: new groups are counted from the
     * store.
     *
     * <p>Looking up a known plan is cheap but not free, so keep the plan if you ask about the same pod again.
     *
     * @throws PlanLimitException if the plans that calls use at the same time leave no room for it
     */
    public PodPlan plan(IncomingPod pod, SpreadDefaults defaults) {
        return plan(pod, defaults, StopSignal.NEVER);
    }

    /**
     * Same as {@link #plan(IncomingPod, SpreadDefaults)}, but can be stopped.
     *
     * @throws StoppedException if {@code stop} fires before the plan is complete
     */
    public PodPlan plan(IncomingPod pod, SpreadDefaults defaults, StopSignal stop) {
        PodPlan known = plans.find(pod, defaults);
        if (known != null) {
            return known;
        }
        try (PlanPins pins = pinPlans(stop, PlanPins.UNLIMITED)) {
            return pins.plan(pod, defaults);
        }
    }

    /**
     * Opens a hold for a call that uses several plans. Held plans are not dropped, so that they do not replace each
     * other before they are used.
     *
     * @param stop reports when the call must stop
     * @param maxNewConstraints how many constraints may be compiled for the call at most
     */
    public PlanPins pinPlans(StopSignal stop, int maxNewConstraints) {
        return new PlanPins(plans, stop, maxNewConstraints);
    }

    /**
     * The plan for a pod if there is a valid one; null if {@link #plan} or an answer would have to compile it first.
     */
    public @Nullable PodPlan findPlan(IncomingPod pod, SpreadDefaults defaults) {
        return plans.find(pod, defaults);
    }

    /**
     * Whether a plan is still valid, so that a question about it is answered without compiling. Counts as a use of the
     * plan.
     */
    public boolean isStillValid(PodPlan plan) {
        plan.requireOf(cluster);
        plan.use();
        return plan.isKnownValid(ownersChanges) || plans.isCurrent(plan);
    }

    /** All node indexes were below this after the last write. Takes no lock. */
    public int nodeLimit() {
        return nodeLimit;
    }

    /** The revision of the node table after the last write. Takes no lock. */
    public long nodeTableRevision() {
        return nodeTableRevision;
    }

    /**
     * Answers {@code question} about the pod of {@code plan} from one revision into {@code answer}.
     *
     * @throws InvalidSlotsException see {@link NodeSubset#ofSlots}
     * @throws IllegalArgumentException if the plan belongs to another engine
     */
    public void evaluate(PodPlan plan, Question question, Answer answer) {
        plan.requireOf(cluster);
        evaluator.evaluate(plan, question, answer);
    }

    /**
     * Answers {@code question} from one revision about the pods of all plans in {@code asked}. Each answer is written
     * into {@code answer} and passed to {@code taker} with its place in {@code asked}, in order. At the end
     * {@code answer} holds the last one or, without plans, only revision, names and candidates.
     *
     * <p>If this takes long, writers get turns in between. Answers that their writes change are passed to {@code taker}
     * again: the last answer for a place counts. All of these are from the revision that {@code answer} has at the end.
     *
     * @param taker copies what it needs, and quickly, since writers wait
     * @throws InvalidSlotsException see {@link NodeSubset#ofSlots}
     * @throws StoppedException if {@code stop} fires before the last plan; {@code taker} may already have some answers
     */
    public void evaluate(
            List<PodPlan> asked, Question question, Answer answer, ObjIntConsumer<Answer> taker, StopSignal stop) {
        asked.forEach(plan -> plan.requireOf(cluster));
        evaluator.evaluate(asked, question, answer, taker, stop);
    }

    /**
     * Same as {@link #evaluate(List, Question, Answer, ObjIntConsumer, StopSignal)}, but for the hypothetical cluster
     * of {@code overlay}. If anything changes meanwhile, all answers may be passed to {@code taker} again.
     *
     * @return the pods that the overlay refers to and that the cluster does not have
     */
    public List<PodKey> evaluate(
            List<PodPlan> asked,
            Question question,
            Overlay overlay,
            Answer answer,
            ObjIntConsumer<Answer> taker,
            StopSignal stop) {
        asked.forEach(plan -> plan.requireOf(cluster));
        return evaluator.evaluate(asked, question, overlay, answer, taker, stop);
    }

    /** Watches of plans of this engine, without any yet. */
    public PlanWatches planWatches() {
        return new PlanWatches(lock, cluster, plans, slices, evaluation, watchRoom);
    }

    /**
     * Answers each case independently of the others, all from one revision.
     *
     * @throws StoppedException if {@code stop} fires before the last case
     */
    public WhatIfAnswers whatIf(List<WhatIfCase> cases, StopSignal stop) {
        cases.forEach(each -> each.plan().requireOf(cluster));
        try (PlanPins pins = pinPlans(stop, PlanPins.UNLIMITED)) {
            return whatIfs.answers(cases, pins);
        }
    }

    /**
     * Searches nodes for pods of lower priority whose removal makes room for the plan's pod. It searches a copy of the
     * state, so that writers wait only while that is made.
     *
     * @param most how many nodes are returned at most
     * @throws InvalidSlotsException see {@link NodeSubset#ofSlots}
     * @throws StoppedException if {@code stop} fires before all nodes are searched
     */
    public Preemption preempt(PodPlan plan, Preemptor preemptor, NodeSubset candidates, int most, StopSignal stop) {
        plan.requireOf(cluster);
        try (PlanPins pins = pinPlans(stop, PlanPins.UNLIMITED)) {
            DryRun dryRun = null;
            while (dryRun == null) {
                PodPlan valid = pins.renew(plan);
                synchronized (store) {
                    dryRun = this.<@Nullable DryRun>read(() -> valid.isCurrent()
                            ? new DryRun(
                                    cluster,
                                    new ClusterStore(store, options.narrowUpTo()),
                                    valid,
                                    preemptor,
                                    candidates,
                                    slot -> evaluation.reasonAt(valid, slot))
                            : null);
                }
            }
            return dryRun.search(most, stop);
        }
    }

    /**
     * Explains the answer of a plan: everything that it depends on.
     *
     * @param rules which rules before the constraints are judged
     * @param overlay the hypothetical changes to the cluster
     * @param maxDomains how many domains are listed for a constraint at most
     * @throws InvalidSlotsException see {@link NodeSubset#ofSlots}
     * @throws StoppedException if {@code stop} fires before the explanation is complete
     */
    public Explanation explain(
            PodPlan plan, NodeSubset candidates, EntryRules rules, Overlay overlay, int maxDomains, StopSignal stop) {
        plan.requireOf(cluster);
        try (PlanPins pins = pinPlans(stop, PlanPins.UNLIMITED)) {
            return explanations.explain(plan, candidates, rules, overlay, maxDomains, pins);
        }
    }

    /**
     * Counts how the pods of workloads are spread. It counts in a copy of the state, so that writers wait only while
     * that is made, and the engine keeps no counts of it.
     *
     * @param namespaces the namespaces whose workloads are counted
     * @param known what an earlier survey of this engine read, with the same reader
     * @param lists the workloads whose domains are listed
     * @param listing gets the number of domains before each list of them is made, and may throw to end the count
     * @throws StoppedException if {@code stop} fires before everything is counted
     */
    public SurveyedWorkloads survey(
            WorkloadReader reader,
            Predicate<String> namespaces,
            KnownWorkloads known,
            Predicate<WorkloadName> lists,
            IntConsumer listing,
            StopSignal stop) {
        return new WorkloadSurvey(copy(), reader, stop).count(namespaces, known, lists, listing);
    }

    /**
     * Ranks the pods of a controller as victims of a scale-down, in a copy of the state as {@link #survey} does.
     *
     * @throws StoppedException if {@code stop} fires before the pods are ranked
     */
    public RankedVictims rankVictims(WorkloadReader reader, VictimQuestion question, StopSignal stop) {
        return new VictimRanking(copy(), reader, stop).rank(question);
    }

    /**
     * Describes the cluster and pending pods in numbers, for estimates.
     *
     * @param pods with plans that are valid and held, because they are not renewed
     * @param newNodes nodes that may be added
     * @param sets sets of existing nodes for which the numbers are wanted
     * @param templateDomainsCount see {@link Problem}
     * @throws InvalidSlotsException see {@link NodeSubset#ofSlots}
     * @throws StoppedException if {@code stop} fires before everything is read
     */
    public PendingProblem pending(
            List<PlannedPods> pods,
            List<NodeExample> newNodes,
            List<NodeSubset> sets,
            boolean templateDomainsCount,
            StopSignal stop) {
        pods.forEach(each -> each.plan().requireOf(cluster));
        return read(() -> new ProblemReader(cluster, pods, newNodes, stop).read(sets, templateDomainsCount));
    }

    /** How current the state of each kind of object is now. */
    public KindVersions versions() {
        return read(store.versions::copy);
    }

    /**
     * The pod that a key names; null if the cluster has none. If several pods have the name, it is the newest of those
     * that count.
     */
    public @Nullable StoredPod pod(PodKey key) {
        return read(() -> cluster.pod(key));
    }

    /**
     * The pod that a key names, as {@link #pod} finds it, as a record that would make the same pod again; null if there
     * is none.
     */
    public @Nullable PodRecord record(PodKey key) {
        return read(() -> cluster.record(key));
    }

    /** The pods that are bound to a node or assumed on it, as {@link #record}s, in no particular order. */
    public List<PodRecord> podsOn(String node) {
        return read(() -> cluster.podsOn(node));
    }

    /** The node that a pod is bound to or assumed on; empty if it is pending, null if there is no such pod. */
    public @Nullable String nodeOf(Uid pod) {
        return read(() -> cluster.nodeOf(pod));
    }

    public boolean hasNode(String name) {
        return read(() -> cluster.slotOfNode(name) != NodeSlots.NONE);
    }

    /** The node with that name; null if there is none. */
    public @Nullable NodeObject node(String name) {
        return read(() -> cluster.node(name));
    }

    /** Reads the state under the lock. {@code what} must be quick, and must not keep the view. */
    public <T> T view(Function<ClusterView, T> what) {
        return read(() -> what.apply(cluster));
    }

    private <T extends @Nullable Object> T read(Supplier<T> what) {
        long stamp = lock.lockRead();
        try {
            return what.get();
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Increases whenever the pods on nodes have other required terms of anti-affinity. Needs no lock. */
    public long antiAffinityMoves() {
        return store.antiAffinities.moves();
    }

    /**
     * A required term of the anti-affinity of a pod on a node that matches a pod with these labels; null if there is
     * none. Anti-affinity is not judged.
     *
     * @param most how many terms to compare with the labels at most; if there are more, one of them counts as matching
     */
    public @Nullable AntiAffinityTerm antiAffinityTo(String namespace, Map<String, String> labels, int most) {
        return read(() -> store.antiAffinities.matching(namespace, labels, most));
    }

    /** Whether a node has some of a resource allocatable, free or not. */
    public boolean isAllocatable(String resource) {
        return read(() -> store.resources.carriers(store.requests.findResource(resource)) > 0);
    }

    /** The names of the nodes now. */
    public NodeNameTable nodeNames() {
        return read(cluster::nodeNames);
    }

    public EngineStatus status() {
        return read(() -> new EngineStatus(
                store.revision(),
                store.versions.copy(),
                store.nodes.revision(),
                store.nodes.size(),
                store.pods.size(),
                store.countedPods(),
                store.assumedCount(),
                store.podsOnUnknownNodes(),
                store.owners.size(),
                store.budgets.size(),
                store.classes.size(),
                store.index.selectors().size(),
                store.index.eligibilities().size(),
                store.index.groups().size(),
                plans.size()));
    }

    /** How many plans were compiled so far. A plan that was compiled again counts again. */
    public long plansCompiled() {
        return plans.compiled();
    }

    /** How many plans are queued for eviction. These must be the stored ones. */
    int plansInLine() {
        return plans.queued();
    }

    /** Roughly how many bytes plans take, with all their parts. */
    long planBytes() {
        return plans.bytes();
    }
}
