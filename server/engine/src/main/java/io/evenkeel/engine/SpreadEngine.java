package io.evenkeel.engine;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Evaluation;
import io.evenkeel.engine.answer.Evaluator;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.explain.Explanations;
import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.lock.HoldProbe;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanCompiler;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.plan.Plans;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import io.evenkeel.engine.store.GroupBuilder;
import io.evenkeel.engine.store.RevisionWriter;
import io.evenkeel.engine.whatif.WhatIfCase;
import io.evenkeel.engine.whatif.WhatIfResult;
import io.evenkeel.engine.whatif.WhatIfs;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The index and its answers, kept as the cluster changes.
 *
 * <p>Threads: any number of readers and writers. Writes take turns and exclude reads for as long as their batch lasts;
 * a read is answered from one revision, which it names. A group that is seen for the first time is built by the thread
 * that asks for it, in slices between which others go on.
 */
public final class SpreadEngine {
    private final EngineLock lock = new EngineLock();
    private final ClusterStore store;
    private final ClusterView cluster;
    private final Plans plans;
    private final RevisionWriter writer;
    private final Evaluator evaluator;
    private final Explanations explanations;
    private final List<LongConsumer> listeners = new CopyOnWriteArrayList<>();

    /** As the last write left them, for looks without the lock. */
    private volatile int nodeLimit;

    private volatile long ownersChanges;

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
        store = new ClusterStore(options.wideFrom(), options.tombstones(), capacity);
        cluster = new ClusterView(store);
        PlanCompiler compiler = new PlanCompiler(cluster, store.index, store.namespaces);
        plans = new Plans(lock, compiler, new GroupBuilder(store, slices.pods()), options, slices);
        writer = new RevisionWriter(store, clock, slices);
        Evaluation evaluation = new Evaluation(cluster);
        evaluator = new Evaluator(lock, plans, slices, evaluation);
        explanations = new Explanations(lock, cluster, evaluation);
    }

    // ---- writing

    /**
     * Runs a batch of changes that no reader sees half of; keep it short, since readers wait. Listeners are told
     * afterwards, also where the batch throws: what it did until then stands.
     *
     * @return the revision reached
     */
    public long write(Consumer<ClusterWriter> batch) {
        long before = 0;
        long after = 0;
        lock.lockWrite();
        try {
            before = store.revision();
            writer.beginBatch();
            batch.accept(writer);
        } finally {
            after = store.revision();
            nodeLimit = store.nodes.limit();
            ownersChanges = store.owners.changes();
            lock.unlockWrite();
            if (after != before) {
                tell(after);
            }
        }
        return after;
    }

    private void tell(long reached) {
        for (LongConsumer listener : listeners) {
            listener.accept(reached);
        }
    }

    /**
     * Has {@code listener} told of each new revision, outside the lock, by the thread that wrote. Revisions may be
     * skipped and come out of order.
     */
    public void onRevision(LongConsumer listener) {
        listeners.add(listener);
    }

    /** The revision reached: moves with every change, never back. */
    public long revision() {
        return store.revision();
    }

    /**
     * Has {@code probe} told of each hold of the engine's lock from now on, in place of the one before; null for none.
     * For measurements: it makes holds longer.
     */
    public void probeHolds(@Nullable HoldProbe probe) {
        lock.setProbe(probe);
    }

    /**
     * The longest that readers have been shut out so far, by one batch of changes or one slice of other work, in
     * nanoseconds.
     */
    public long longestWriteNanos() {
        return lock.longestWrite();
    }

    // ---- reading

    /**
     * The plan for a pod; compiled where there is none yet, which may build groups from the store.
     *
     * <p>Cheap where the plan is known, but not free: keep the plan where the same pod is asked about again.
     */
    public PodPlan plan(IncomingPod pod, SpreadDefaults defaults) {
        return plan(pod, defaults, StopSignal.NEVER);
    }

    /**
     * As {@link #plan(IncomingPod, SpreadDefaults)}.
     *
     * @throws StoppedException where {@code stop} says so before the plan is there
     */
    public PodPlan plan(IncomingPod pod, SpreadDefaults defaults, StopSignal stop) {
        PodPlan known = plans.find(pod, defaults);
        if (known != null) {
            return known;
        }
        try (PlanHold hold = hold(stop, PlanHold.UNLIMITED)) {
            return hold.plan(pod, defaults);
        }
    }

    /**
     * For calls that use several plans: holds those that it is asked for, so that they don't push each other out before
     * they are used, however few are kept.
     *
     * @param stop when to end
     * @param mostNewConstraints how many constraints the plans may have, at most, that are compiled for the call
     */
    public PlanHold hold(StopSignal stop, int mostNewConstraints) {
        return new PlanHold(plans, stop, mostNewConstraints);
    }

    /**
     * The plan for a pod where there is one that holds; null where {@link #plan} or an answer would have to compile it
     * first.
     */
    public @Nullable PodPlan findPlan(IncomingPod pod, SpreadDefaults defaults) {
        PodPlan known = plans.find(pod, defaults);
        if (known == null) {
            return null;
        }
        long stamp = lock.lockRead();
        try {
            return known.isCurrent() ? known : null;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Whether a plan that was had earlier still holds, so that it is answered from at once. Counts as a use of it. */
    public boolean holds(PodPlan plan) {
        plan.requireOf(cluster);
        plan.use();
        return plan.isKnownToHold(ownersChanges) || plans.isCurrent(plan);
    }

    /** Node indexes are below this, as far as writes have come; takes no lock. */
    public int nodeLimit() {
        return nodeLimit;
    }

    /** Answers {@code question} about the pod of {@code plan} from one revision into {@code answer}. */
    public void evaluate(PodPlan plan, Question question, Answer answer) {
        plan.requireOf(cluster);
        evaluator.evaluate(plan, question, answer);
    }

    /**
     * Answers {@code question} about the pods of all plans {@code asked} about from one revision. Each answer is filled
     * into {@code answer} and handed to {@code taker} with its place in {@code asked}, in order; {@code answer} is left
     * with the last one, or with revision, names and candidates alone where there are no plans.
     *
     * <p>Where this takes long, writers have turns in between. What moves by that is handed again: of several answers
     * for one place the last one counts, and is of the revision that {@code answer} is left with.
     *
     * @param taker copies what it needs, quickly: writers wait
     */
    public void evaluate(List<PodPlan> asked, Question question, Answer answer, ObjIntConsumer<Answer> taker) {
        evaluate(asked, question, answer, taker, StopSignal.NEVER);
    }

    /**
     * As {@link #evaluate(List, Question, Answer, ObjIntConsumer)}.
     *
     * @throws StoppedException where {@code stop} says so before the last plan; {@code taker} may have been handed some
     *     answers
     */
    public void evaluate(
            List<PodPlan> asked, Question question, Answer answer, ObjIntConsumer<Answer> taker, StopSignal stop) {
        asked.forEach(plan -> plan.requireOf(cluster));
        evaluator.evaluate(asked, question, answer, taker, stop);
    }

    /** One case; see {@link WhatIfCase}. */
    public WhatIfResult whatIf(PodPlan plan, String node, Collection<PodKey> removed, Collection<PodObject> added) {
        return whatIf(List.of(new WhatIfCase(plan, node, removed, added))).get(0);
    }

    /** Each case by itself, all from one revision; the answers in the order of the cases. */
    public List<WhatIfResult> whatIf(List<WhatIfCase> cases) {
        return whatIf(cases, StopSignal.NEVER);
    }

    /**
     * As {@link #whatIf(List)}.
     *
     * @throws StoppedException where {@code stop} says so before the last case
     */
    public List<WhatIfResult> whatIf(List<WhatIfCase> cases, StopSignal stop) {
        cases.forEach(each -> each.plan().requireOf(cluster));
        try (PlanHold hold = hold(stop, PlanHold.UNLIMITED)) {
            return new WhatIfs(lock, cluster, cases, hold).answers();
        }
    }

    /**
     * Everything that the plan's answer rests on.
     *
     * @param without a pod of the cluster that is thought away, or null: a pod that is already placed is judged as if
     *     it were not there
     * @param maxDomains the most domains listed for a constraint
     */
    public Explanation explain(PodPlan plan, CandidateNodes candidates, @Nullable PodKey without, int maxDomains) {
        return explain(plan, candidates, without, maxDomains, StopSignal.NEVER);
    }

    /**
     * As {@link #explain(PodPlan, CandidateNodes, PodKey, int)}.
     *
     * @throws StoppedException where {@code stop} says so before all is written
     */
    public Explanation explain(
            PodPlan plan, CandidateNodes candidates, @Nullable PodKey without, int maxDomains, StopSignal stop) {
        plan.requireOf(cluster);
        try (PlanHold hold = hold(stop, PlanHold.UNLIMITED)) {
            return explanations.explain(plan, candidates, without, maxDomains, hold);
        }
    }

    /** The node table now. */
    public NodeNameTable nodeNames() {
        long stamp = lock.lockRead();
        try {
            return cluster.nodeNames();
        } finally {
            lock.unlockRead(stamp);
        }
    }

    public EngineStatus status() {
        long stamp = lock.lockRead();
        try {
            return new EngineStatus(
                    store.revision(),
                    store.nodes.revision(),
                    store.isSnapshotUnderWay(),
                    store.nodes.size(),
                    store.pods.size(),
                    store.countedPods(),
                    store.assumedCount(),
                    store.podsOnUnknownNodes(),
                    store.owners.size(),
                    store.classes.size(),
                    store.index.selectors().size(),
                    store.index.eligibilities().size(),
                    store.index.groups().size(),
                    plans.size());
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * Recounts the whole index from the stored objects and compares: every group's counts, minimum and eligible
     * domains, every list and membership, and all uses of what is shared. For tests and for operators in doubt; costs a
     * walk over everything.
     *
     * @throws IllegalStateException naming the first thing that differs
     */
    public void validate() {
        plans.whileStill(() -> new IndexValidator(store).validate(plans.all()));
    }

    /** How many plans were compiled so far; those that were made anew count again. */
    public long plansCompiled() {
        return plans.compiled();
    }

    /** How many plans wait to make room for others: those that are kept, and no others. */
    int plansInLine() {
        return plans.inLine();
    }

    /** About how many bytes plans take, with all that they count by. */
    long planBytes() {
        return plans.bytes();
    }
}
