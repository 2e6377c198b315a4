package io.evenkeel.engine;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The plans in use, and what they cost: each is compiled once, its groups are built by the thread that asks for it, and the least used go where there are too many or their groups take too much.
 *
 * <p>Safe for use by several threads, none of which may hold the engine's lock unless a method says so.
 */
final class Plans {
    private static final int CHECK_BUDGET_EVERY = 64;

    private final EngineLock lock;
    private final ClusterStore store;
    private final EngineOptions options;
    private final PlanCompiler compiler;
    private final GroupBuilder builder;
    private final PlanCache cache = new PlanCache();
    private int sinceBudgetCheck;

    /** @param lock the engine's: for writing where parts are made or dropped, for reading where pods are looked through */
    Plans(EngineLock lock, ClusterStore store, EngineOptions options) {
        this.lock = lock;
        this.store = store;
        this.options = options;
        compiler = new PlanCompiler(store);
        builder = new GroupBuilder(store);
    }

    int size() {
        return cache.size();
    }

    /** How many plans stand in line to make room. */
    int inLine() {
        return cache.inLine();
    }

    /** The plan that is stored for a pod, whether it still holds or not; null where there is none. Needs no lock. */
    @Nullable
    PodPlan find(IncomingPod pod, DefaultConstraints defaults) {
        return cache.find(pod, defaults);
    }

    /** A plan that held a moment ago for the pod of one that does not. */
    PodPlan recompile(PodPlan stale, StopSignal stop) {
        return compile(stale.pod(), stale.defaults(), stop);
    }

    /**
     * A plan that held a moment ago. Others go on while its groups are built.
     *
     * @throws StoppedException where {@code stop} says so; the plan's parts are let go
     */
    PodPlan compile(IncomingPod pod, DefaultConstraints defaults, StopSignal stop) {
        stop.check();
        List<NodePart> parts = prepare(pod, defaults, stop);
        try {
            return compilePrepared(pod, defaults, stop);
        } finally {
            letGo(parts);
        }
    }

    /** Builds the parts over nodes that the pod's plan will rest on, where there are some that are new, in slices; answers them, to be let go once the plan rests on them. */
    private List<NodePart> prepare(IncomingPod pod, DefaultConstraints defaults, StopSignal stop) {
        List<NodePart> parts = locked(() -> {
            if (findCurrent(pod, defaults) != null) {
                return List.of();
            }
            List<NodePart> taken = compiler.takeParts(pod, defaults);
            if (taken.stream().allMatch(NodePart::isBuilt)) {
                compiler.release(taken);
                return List.of();
            }
            return taken;
        });
        boolean built = parts.isEmpty();
        try {
            while (!built && !reading(() -> store.index.build(parts, new TimeSlice()))) {
                stop.check();
            }
            built = true;
        } finally {
            if (!built) {
                letGo(parts);
            }
        }
        return parts;
    }

    private void letGo(List<NodePart> parts) {
        if (!parts.isEmpty()) {
            locked(() -> {
                compiler.release(parts);
                return true;
            });
        }
    }

    private PodPlan compilePrepared(IncomingPod pod, DefaultConstraints defaults, StopSignal stop) {
        PodPlan fresh;
        lock.lockWrite();
        try {
            PodPlan known = findCurrent(pod, defaults);
            if (known != null) {
                return known;
            }
            fresh = compiler.compile(pod, defaults);
        } finally {
            lock.unlockWrite();
        }
        boolean built = false;
        try {
            for (SpreadGroup group : fresh.groups()) {
                while (scan(group) || !locked(() -> builder.advance(group))) {
                    stop.check();
                }
            }
            built = true;
        } finally {
            if (!built) {
                locked(() -> {
                    compiler.release(fresh);
                    return true;
                });
            }
        }
        return locked(() -> publish(fresh));
    }

    /** A plan that is not stored, with all its groups built at once; to be let go by {@link #release}. The caller holds the lock for writing until then. */
    PodPlan compileForOnce(PodPlan stale, StopSignal stop) {
        stop.check();
        PodPlan fresh = compiler.compile(stale.pod(), stale.defaults());
        for (SpreadGroup group : fresh.groups()) {
            while (!builder.advance(group)) {
                // The next slice.
            }
        }
        return fresh;
    }

    /** The caller holds the lock for writing. */
    void release(PodPlan own) {
        compiler.release(own);
    }

    /** Runs {@code work} while nobody writes and no group is being built. */
    void whileStill(Runnable work) {
        reading(() -> {
            work.run();
            return true;
        });
    }

    /** Looks at the next slice of pods, where the group is one that pods are looked through for, while others read; answers whether it is. */
    private boolean scan(SpreadGroup group) {
        return reading(() -> builder.scan(group));
    }

    private boolean reading(Supplier<Boolean> work) {
        synchronized (builder) {
            long stamp = lock.lockRead();
            try {
                return work.get();
            } finally {
                lock.unlockRead(stamp);
            }
        }
    }

    private <T> T locked(Supplier<T> work) {
        lock.lockWrite();
        try {
            return work.get();
        } finally {
            lock.unlockWrite();
        }
    }

    private @Nullable PodPlan findCurrent(IncomingPod pod, DefaultConstraints defaults) {
        PodPlan known = cache.find(pod, defaults);
        return known != null && known.isCurrent(store.owners) ? known : null;
    }

    /** Stores a plan that nobody else has; where another was faster, that one is taken and this let go. */
    private PodPlan publish(PodPlan plan) {
        PodPlan known = findCurrent(plan.pod(), plan.defaults());
        if (known != null) {
            compiler.release(plan);
            return known;
        }
        PodPlan replaced = cache.put(plan);
        if (replaced != null) {
            compiler.release(replaced);
        }
        keepWithinBudget(plan);
        return plan;
    }

    /** Drops plans where there are too many or their groups take too much, few at a time: everyone waits meanwhile. */
    private void keepWithinBudget(PodPlan newest) {
        int drop = Math.max(0, cache.size() - options.maxPlans());
        // Summing the groups up takes as long as there are groups.
        if (++sinceBudgetCheck >= Math.max(CHECK_BUDGET_EVERY, store.index.groupCount() / CHECK_BUDGET_EVERY)) {
            sinceBudgetCheck = 0;
            drop = store.index.groupBytes() > options.maxGroupBytes() ? Math.max(drop, 2 * CHECK_BUDGET_EVERY) : drop;
        }
        for (int i = 0; i < drop; i++) {
            PodPlan unused = cache.takeUnused(newest);
            if (unused == null) {
                return;
            }
            compiler.release(unused);
        }
    }
}
