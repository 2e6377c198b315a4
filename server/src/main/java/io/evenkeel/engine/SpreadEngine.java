package io.evenkeel.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The index and its answers, kept as the cluster changes.
 *
 * <p>Threads: any number of readers and writers. Writes take turns and exclude reads for as long as their batch lasts; a read is answered from one revision, which it names. A
 * group that is seen for the first time is built by the thread that asks for it, in slices between which others go on.
 */
public final class SpreadEngine {
    private static final int CHECK_BUDGET_EVERY = 64;
    private static final int DROP_PART = 8;

    private final StampedLock lock = new StampedLock();
    private final LongSupplier clock;
    private final EngineOptions options;
    private final ClusterStore store;
    private final PlanCompiler compiler;
    private final GroupBuilder builder;
    private final PlanCache plans = new PlanCache();
    private final Writer writer = new Writer();
    private final List<LongConsumer> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong revision = new AtomicLong();
    private volatile @Nullable NodeNames names;
    private int plansSinceCheck;

    public SpreadEngine(EngineOptions options) {
        this(options, System::nanoTime);
    }

    /** @param clock nanoseconds from any origin, for the time to live of assumptions */
    public SpreadEngine(EngineOptions options, LongSupplier clock) {
        this.options = options;
        this.clock = clock;
        store = new ClusterStore(options.wideFrom(), options.tombstones());
        compiler = new PlanCompiler(store);
        builder = new GroupBuilder(store.nodes, store.pods, store.podsInClass, store.classes);
    }

    // ---- writing

    /**
     * Runs a batch of changes that no reader sees half of; keep it short, since readers wait. Listeners are told afterwards.
     *
     * @return the revision reached
     */
    public long write(Consumer<ClusterWriter> batch) {
        long before;
        long after;
        long stamp = lock.writeLock();
        try {
            before = revision.get();
            batch.accept(writer);
        } finally {
            after = revision.get();
            lock.unlockWrite(stamp);
        }
        if (after != before) {
            for (LongConsumer listener : listeners) {
                listener.accept(after);
            }
        }
        return after;
    }

    /** Has {@code listener} told of each new revision, outside the lock, by the thread that wrote. Revisions may be skipped and come out of order. */
    public void onRevision(LongConsumer listener) {
        listeners.add(listener);
    }

    /** The revision reached: moves with every change, never back. */
    public long revision() {
        return revision.get();
    }

    // ---- reading

    /**
     * The plan for a pod; compiled where there is none yet, which may build groups from the store.
     *
     * <p>Cheap where the plan is known, but not free: keep the plan where the same pod is asked about again.
     */
    public PodPlan plan(IncomingPod pod, DefaultConstraints defaults) {
        PodPlan known = plans.find(pod, defaults);
        if (known != null) {
            return known;
        }
        return compile(pod, defaults);
    }

    /** Answers {@code question} about the pod of {@code plan} from one revision into {@code answer}. */
    public void evaluate(PodPlan plan, Question question, Answer answer) {
        PodPlan current = plan;
        while (true) {
            long stamp = lock.readLock();
            try {
                if (current.isCurrent(store.owners)) {
                    evaluateLocked(current, question, answer);
                    return;
                }
            } finally {
                lock.unlockRead(stamp);
            }
            current = recompile(current);
        }
    }

    private void evaluateLocked(PodPlan plan, Question question, Answer answer) {
        Candidates candidates = question.candidates();
        boolean every = candidates == Candidates.ALL || candidates == Candidates.ENTERABLE;
        if (every) {
            answer.begin(revision.get(), namesLocked(), List.of());
            answer.setCandidates(store.nodes.known());
        } else {
            Candidates.Resolved resolved = candidates.resolve(store.nodes);
            answer.begin(revision.get(), namesLocked(), resolved.unknown());
            answer.setCandidates(resolved.slots());
        }
        if (candidates == Candidates.ENTERABLE) {
            EntryPass.run(plan, answer);
        }
        if (question.filter()) {
            FilterPass.run(plan, answer);
        }
        if (question.score()) {
            ScorePass.run(plan, answer);
        }
        BestPass.run(answer, question.best());
    }

    /**
     * Filter of the plan's pod on one node, as if the pods {@code removed} were gone and {@code added} were there, each on its own node or, where it names none, on {@code
     * node}.
     */
    public WhatIfAnswer whatIf(PodPlan plan, String node, Collection<PodKey> removed, Collection<PodObject> added) {
        PodPlan current = plan;
        while (true) {
            long stamp = lock.readLock();
            try {
                if (current.isCurrent(store.owners)) {
                    WhatIf change = new WhatIf(store);
                    List<PodKey> unknown = change.remove(removed);
                    added.forEach(pod -> change.add(pod, node));
                    int slot = store.nodes.slotOfName(node);
                    boolean known = slot != NodeTable.NONE;
                    return new WhatIfAnswer(revision.get(), known, known ? change.judge(current, slot) : null, unknown);
                }
            } finally {
                lock.unlockRead(stamp);
            }
            current = recompile(current);
        }
    }

    /**
     * Everything that the plan's answer rests on.
     *
     * @param without a pod of the cluster that is thought away, or null: a pod that is already placed is judged as if it were not there
     * @param maxDomains the most domains listed for a constraint
     */
    public Explanation explain(PodPlan plan, Candidates candidates, @Nullable PodKey without, int maxDomains) {
        PodPlan current = plan;
        Answer answer = new Answer();
        Question question = Question.evaluate(candidates, 0);
        while (true) {
            long stamp = without == null ? lock.readLock() : lock.writeLock();
            try {
                if (current.isCurrent(store.owners)) {
                    List<Integer> away = without == null ? List.of() : store.placedPods(without);
                    away.forEach(pod -> store.countAgain(pod, false));
                    try {
                        evaluateLocked(current, question, answer);
                        return new Explainer(store, current, answer, maxDomains).explain(!away.isEmpty());
                    } finally {
                        away.forEach(pod -> store.countAgain(pod, true));
                    }
                }
            } finally {
                lock.unlock(stamp);
            }
            current = recompile(current);
        }
    }

    /** The node table now. */
    public NodeNames nodeNames() {
        long stamp = lock.readLock();
        try {
            return namesLocked();
        } finally {
            lock.unlockRead(stamp);
        }
    }

    public EngineStatus status() {
        long stamp = lock.readLock();
        try {
            return new EngineStatus(
                    revision.get(),
                    store.nodes.revision(),
                    store.isSnapshotUnderWay(),
                    store.nodes.size(),
                    store.pods.size(),
                    store.countedPods(),
                    store.assumedPods(),
                    store.podsOnUnknownNodes(),
                    store.owners.size(),
                    store.classes.size(),
                    store.index.selectorCount(),
                    store.index.eligibilityCount(),
                    store.index.groupCount(),
                    plans.size());
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * Recounts the whole index from the stored objects and compares: every group's counts, minimum and eligible domains, every list and membership. For tests and for operators
     * in doubt; costs a walk over everything.
     *
     * @throws IllegalStateException naming the first thing that differs
     */
    public void validate() {
        long stamp = lock.readLock();
        try {
            new IndexValidator(store).validate();
        } finally {
            lock.unlockRead(stamp);
        }
    }

    private NodeNames namesLocked() {
        NodeNames known = names;
        if (known == null || known.revision() != store.nodes.revision()) {
            known = new NodeNames(store.nodes);
            names = known;
        }
        return known;
    }

    // ---- plans

    private PodPlan recompile(PodPlan stale) {
        return compile(stale.pod(), stale.defaults());
    }

    private PodPlan compile(IncomingPod pod, DefaultConstraints defaults) {
        PodPlan plan = locked(() -> {
            PodPlan known = plans.find(pod, defaults);
            return known != null && known.isCurrent(store.owners) ? known : compiler.compile(pod, defaults);
        });
        for (PlannedConstraint[] constraints : List.of(plan.hard, plan.soft)) {
            for (PlannedConstraint constraint : constraints) {
                SpreadGroup group = constraint.group();
                while (group != null && !locked(() -> builder.advance(group))) {
                    Thread.onSpinWait();
                }
            }
        }
        return locked(() -> publish(plan));
    }

    private PodPlan publish(PodPlan plan) {
        PodPlan known = plans.find(plan.pod(), plan.defaults());
        if (known == plan) {
            return plan;
        }
        if (known != null && known.isCurrent(store.owners)) {
            compiler.release(plan);
            return known;
        }
        PodPlan replaced = plans.put(plan);
        if (replaced != null) {
            compiler.release(replaced);
        }
        keepWithinBudget(plan);
        return plan;
    }

    private void keepWithinBudget(PodPlan newest) {
        boolean tooMany = plans.size() > options.maxPlans();
        if (++plansSinceCheck >= CHECK_BUDGET_EVERY || tooMany) {
            plansSinceCheck = 0;
            while (plans.size() > 1
                    && (plans.size() > options.maxPlans() || store.index.groupBytes() > options.maxGroupBytes())) {
                for (PodPlan old : plans.oldest(Math.max(1, plans.size() / DROP_PART))) {
                    if (old != newest) {
                        plans.remove(old);
                        compiler.release(old);
                    }
                }
            }
        }
    }

    private <T> T locked(java.util.function.Supplier<T> work) {
        long stamp = lock.writeLock();
        try {
            return work.get();
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    private final class Writer implements ClusterWriter {
        @Override
        public boolean apply(Change change, NodeObject node) {
            return changed(store.apply(change, node));
        }

        @Override
        public boolean apply(Change change, PodObject pod) {
            return changed(store.apply(change, pod));
        }

        @Override
        public boolean apply(Change change, OwnerObject owner) {
            return changed(store.apply(change, owner));
        }

        @Override
        public Assumption assume(PodObject pod, String node, @Nullable Duration timeToLive) {
            long until = timeToLive == null ? ClusterStore.FOR_EVER : clock.getAsLong() + timeToLive.toNanos();
            Assumption assumption = store.assume(pod, node, until);
            changed(assumption == Assumption.COUNTED);
            return assumption;
        }

        @Override
        public boolean forget(String uid) {
            return changed(store.forget(uid));
        }

        @Override
        public int expireAssumptions() {
            int expired = store.expire(clock.getAsLong());
            changed(expired > 0);
            return expired;
        }

        @Override
        public void beginSnapshot() {
            store.beginSnapshot();
        }

        @Override
        public int endSnapshot() {
            int removed = store.endSnapshot();
            changed(removed > 0);
            return removed;
        }

        @Override
        public void abandonSnapshot() {
            store.abandonSnapshot();
        }

        @Override
        public long revision() {
            return revision.get();
        }

        private boolean changed(boolean changed) {
            if (changed) {
                revision.incrementAndGet();
            }
            return changed;
        }
    }
}
