package io.evenkeel.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The plans in use, and what they cost: each is compiled once, its groups are built by the thread that asks for it, and the least used go where there are too many, where they take too much memory, or
 * where events would take too long for them.
 *
 * <p>Safe for use by several threads, none of which may hold the engine's lock unless a method says so.
 */
final class Plans {
    /** Plans that are dropped in one hold of the lock: everyone waits meanwhile. */
    private static final int DROPS_A_HOLD = 8;

    /** What calls may hold above the bound. */
    private static final int PART_OF_HEAP = 16;

    private final EngineLock lock;
    private final ClusterStore store;
    private final EngineOptions options;
    private final PlanCompiler compiler;
    private final GroupBuilder builder;
    private final PlanCache cache = new PlanCache();

    /** What plans take beside the parts that they share; changed under the lock. */
    private long planBytes;

    /** The same with all parts; for looks without the lock. */
    private volatile long bytes;

    private final LongAdder compiled = new LongAdder();

    /** Plans that nobody finds any more and that calls still hold; changed under the write lock. */
    private final Set<PodPlan> retired = new HashSet<>();

    /** How many plans are being compiled, each of which may hold uses of parts that no stored plan does. */
    private final AtomicInteger compiling = new AtomicInteger();

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

    /** How many plans were compiled so far and stored. */
    long compiled() {
        return compiled.sum();
    }

    /** About how many bytes plans take, with all that they count by. */
    long bytes() {
        return bytes;
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

    boolean isCurrent(PodPlan plan) {
        long stamp = lock.lockRead();
        try {
            return plan.isCurrent(store.owners);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * A plan that held a moment ago, for which {@code hold} has it. Others go on while its groups are built.
     *
     * @throws StoppedException where the call is to end; the plan's parts are let go
     * @throws PlanLimitException where there is no room for it
     */
    PodPlan compile(IncomingPod pod, DefaultConstraints defaults, PlanHold hold) {
        hold.stop().check();
        trim(null);
        requireRoom();
        compiling.incrementAndGet();
        try {
            List<NodePart> parts = prepare(pod, defaults, hold.stop());
            try {
                return compilePrepared(pod, defaults, hold);
            } finally {
                letGoOfParts(parts);
            }
        } finally {
            compiling.decrementAndGet();
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
                letGoOfParts(parts);
            }
        }
        return parts;
    }

    private void letGoOfParts(List<NodePart> parts) {
        if (!parts.isEmpty()) {
            locked(() -> {
                compiler.release(parts);
                return true;
            });
        }
    }

    private PodPlan compilePrepared(IncomingPod pod, DefaultConstraints defaults, PlanHold hold) {
        PodPlan fresh;
        lock.lockWrite();
        try {
            PodPlan known = findCurrent(pod, defaults);
            if (known != null && hold.keep(known)) {
                return known;
            }
            fresh = compiler.compile(pod, defaults);
        } finally {
            lock.unlockWrite();
        }
        build(fresh, hold.stop());
        PodPlan stored = locked(() -> publish(fresh, hold));
        trim(stored);
        relieve(stored);
        return stored;
    }

    private void build(PodPlan fresh, StopSignal stop) {
        boolean built = false;
        try {
            for (SpreadGroup group : fresh.groupsToBuild()) {
                while (scan(group) || !locked(() -> builder.advance(group))) {
                    stop.check();
                }
            }
            built = true;
        } finally {
            if (!built) {
                locked(() -> {
                    release(fresh);
                    return true;
                });
            }
        }
    }

    /** Lets parts go of plans that were retired while a call held them, and makes room where there was none as long as it did. */
    void letGo(List<PodPlan> plans) {
        for (PodPlan plan : plans) {
            locked(() -> {
                retired.remove(plan);
                release(plan);
                return true;
            });
        }
        trim(null);
    }

    /** All plans that rest on parts, stored or held by calls; null while some are being compiled. The caller holds the lock. */
    @Nullable
    Collection<PodPlan> all() {
        if (compiling.get() > 0) {
            return null;
        }
        List<PodPlan> all = new ArrayList<>(cache.all());
        all.addAll(retired);
        return all;
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
    private PodPlan publish(PodPlan plan, PlanHold hold) {
        PodPlan known = findCurrent(plan.pod(), plan.defaults());
        if (known != null && hold.keep(known)) {
            release(plan);
            return known;
        }
        hold.keep(plan);
        compiled.increment();
        plan.parts().forEach(store.index::account);
        plan.countBytes();
        planBytes += plan.ownBytes();
        PodPlan replaced = cache.put(plan);
        if (replaced != null) {
            if (replaced.retire()) {
                release(replaced);
            } else {
                retired.add(replaced);
            }
        }
        sum();
        return plan;
    }

    private void release(PodPlan plan) {
        planBytes -= plan.ownBytes();
        compiler.release(plan);
        sum();
    }

    private void sum() {
        bytes = planBytes + store.index.bytes() + store.classes.matchBytes();
    }

    /** Drops plans where there are too many or they take too much, few at a time, but for those that calls hold. */
    private void trim(@Nullable PodPlan newest) {
        boolean more = true;
        while (more && isOver()) {
            more = locked(() -> {
                for (int i = 0; i < DROPS_A_HOLD && isOver(); i++) {
                    PodPlan unused = cache.dropUnused(newest, bytes > options.maxPlanBytes());
                    if (unused == null) {
                        return false;
                    }
                    release(unused);
                }
                return true;
            });
        }
    }

    private boolean isOver() {
        return cache.size() > options.maxPlans() || bytes > options.maxPlanBytes() && cache.size() > 1;
    }

    /** Calls may hold more than plans may take, so that those that began can go on; but not much more. */
    private void requireRoom() {
        long above = Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
        if (bytes - options.maxPlanBytes() > above && cache.size() > 1) {
            throw new PlanLimitException("the plans that calls use at once must take at most "
                    + (options.maxPlanBytes() + above) + " bytes, took " + bytes
                    + "; ask about fewer kinds of pods at once, or raise the bound");
        }
    }

    /** Where so many plans make the same events longer that these would take too long, those not used lately go. */
    private void relieve(PodPlan newest) {
        EventTax.Crowd crowd;
        long stamp = lock.lockRead();
        try {
            crowd = EventTax.joinedBy(newest, store.index);
        } finally {
            lock.unlockRead(stamp);
        }
        if (crowd != null) {
            List<PodPlan> unused = crowd.unused(cache.all(), newest);
            for (int from = 0; from < unused.size(); from += DROPS_A_HOLD) {
                List<PodPlan> few = unused.subList(from, Math.min(unused.size(), from + DROPS_A_HOLD));
                locked(() -> {
                    for (PodPlan plan : few) {
                        if (cache.drop(plan)) {
                            release(plan);
                        }
                    }
                    return true;
                });
            }
        }
    }
}
