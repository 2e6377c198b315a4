package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.store.GroupBuilder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Manages the plans in use and their costs. Each plan is compiled once, and the thread that asks for it builds its
 * groups. Plans that were not used recently are dropped if there are too many, if they take too much memory, or if they
 * would slow events down too much.
 *
 * <p>Safe for use by several threads. They must not hold the engine's lock unless a method requires it.
 */
public final class Plans {
    /** How many plans are checked or dropped in one hold of the lock. */
    private static final int EVICTIONS_PER_LOCK = 8;

    /** The fraction of the heap that calls may hold in addition to the bound: one in this many. */
    private static final int PART_OF_HEAP = 16;

    private final EngineLock lock;
    private final EngineOptions options;
    private final PlanCompiler compiler;
    private final GroupBuilder builder;
    private final Slices slices;
    private final PlanCache cache = new PlanCache();

    /**
     * Held while pods are scanned for a group. Fair, because a call that compiles a thousand plans acquires it again
     * and again, and would otherwise keep others out for seconds.
     */
    private final ReentrantLock building = new ReentrantLock(true);

    /** The bytes that plans take without shared parts. Changed under the lock. */
    private long planBytes;

    /** The bytes of plans with all parts, for reading without the lock. */
    private volatile long bytes;

    private final LongAdder compiled = new LongAdder();

    /** Plans that were removed and that calls still hold. Changed under the lock for writing. */
    private final Set<PodPlan> retired = new HashSet<>();

    /** The steps that release the parts of dropped plans. They are run in this order under the lock for writing. */
    private final ArrayDeque<Runnable> pendingReleases = new ArrayDeque<>();

    /** Whether there are such steps, for reading without the lock. */
    private volatile boolean hasPendingReleases;

    /** How many plans are being compiled. These may use parts that no stored plan uses. */
    private final AtomicInteger compiling = new AtomicInteger();

    /**
     * @param lock the engine's lock; held for writing while parts are made or dropped, for reading while pods are
     *     scanned
     */
    public Plans(EngineLock lock, PlanCompiler compiler, GroupBuilder builder, EngineOptions options, Slices slices) {
        this.lock = lock;
        this.options = options;
        this.compiler = compiler;
        this.slices = slices;
        this.builder = builder;
    }

    public int size() {
        return cache.size();
    }

    /** How many plans were compiled and stored so far. */
    public long compiled() {
        return compiled.sum();
    }

    /** Roughly how many bytes plans take, with all their parts. */
    public long bytes() {
        return bytes;
    }

    /** How many plans are queued for eviction. */
    public int queued() {
        return cache.queued();
    }

    /** The valid plan for a pod; null if there is none. */
    public @Nullable PodPlan find(IncomingPod pod, SpreadDefaults defaults) {
        long stamp = lock.lockRead();
        try {
            return findCurrent(pod, defaults);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    public boolean isCurrent(PodPlan plan) {
        long stamp = lock.lockRead();
        try {
            return plan.isCurrent();
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * Compiles a plan and pins it in {@code pinned}. Other threads read and write while its groups are built, so it may
     * be stale when this returns.
     *
     * @throws StoppedException if the call must stop; the plan's parts are released
     * @throws PlanLimitException if there is no room for the plan
     */
    PodPlan compile(IncomingPod pod, SpreadDefaults defaults, PinnedPlans pinned) {
        pinned.stop().check();
        evictExcess(null);
        requireRoom();
        compiling.incrementAndGet();
        try {
            PlanDraft draft = compiler.draft(pod, defaults);
            PodPlan plan = findOrAcquire(draft, pinned);
            return draft.isComplete() ? finish(plan, pinned) : plan;
        } finally {
            compiling.decrementAndGet();
        }
    }

    /**
     * The plan that another thread has stored meanwhile, or that of the draft, which is then complete except for the
     * build of its groups.
     */
    private PodPlan findOrAcquire(PlanDraft draft, PinnedPlans pinned) {
        PodPlan plan = null;
        try {
            while (plan == null) {
                pinned.stop().check();
                plan = draft.isToBeBuilt() ? build(draft) : locked(() -> findOrAdvance(draft, pinned));
            }
            return plan;
        } finally {
            if (!draft.isComplete()) {
                enqueueReleases(draft::releases);
            }
        }
    }

    private @Nullable PodPlan findOrAdvance(PlanDraft draft, PinnedPlans pinned) {
        PodPlan known = findCurrent(draft.pod(), draft.defaults());
        return known != null && pinned.pin(known) ? known : draft.advance(slices.begin());
    }

    private @Nullable PodPlan build(PlanDraft draft) {
        whileStill(() -> draft.build(slices.begin()));
        return null;
    }

    private PodPlan finish(PodPlan fresh, PinnedPlans pinned) {
        build(fresh, pinned.stop());
        PodPlan published = locked(() -> publish(fresh, pinned));
        drainReleases();
        evictExcess(published.stored());
        evictCostly(published.stored());
        return published;
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
                enqueueReleases(() -> compiler.releases(fresh));
            }
        }
    }

    /**
     * Releases the parts of plans that were removed while a call held them. Then drops further plans if the bounds are
     * exceeded, which was not possible while the call held its plans. Takes no lock if there is nothing to do: other
     * calls release the parts of the plans that they held.
     */
    void release(List<PodPlan> plans) {
        for (PodPlan plan : plans) {
            locked(() -> evictRetired(plan));
        }
        if (!plans.isEmpty()) {
            drainReleases();
        }
        evictExcess(null);
    }

    private boolean evictRetired(PodPlan plan) {
        enqueueRelease(plan);
        return retired.remove(plan);
    }

    private void enqueueReleases(Supplier<List<Runnable>> releases) {
        locked(() -> pendingReleases.addAll(releases.get()));
        drainReleases();
    }

    /** Releases the parts of dropped plans in slices, until there are none left. The caller must not hold the lock. */
    private void drainReleases() {
        while (hasPendingReleases) {
            locked(() -> runReleases(slices.begin()));
        }
    }

    /** Runs release steps, at least one, until the time is up; returns whether it is up. */
    private boolean runReleases(BooleanSupplier isTimeUp) {
        boolean up = false;
        while (!up && !pendingReleases.isEmpty()) {
            pendingReleases.remove().run();
            up = isTimeUp.getAsBoolean();
        }
        sum();
        return up;
    }

    /**
     * All plans that use parts, stored or held by calls; null while plans are being compiled or released. The caller
     * must hold the lock.
     */
    public @Nullable Collection<PodPlan> all() {
        if (compiling.get() > 0 || !pendingReleases.isEmpty()) {
            return null;
        }
        List<PodPlan> all = new ArrayList<>(cache.all());
        all.addAll(retired);
        return all;
    }

    /** Runs {@code work} while no thread writes and no group is being built. */
    public void whileStill(Runnable work) {
        still(() -> {
            work.run();
            return true;
        });
    }

    /** Scans the next slice of pods while other threads read, if the group is in a scan; returns whether it is. */
    private boolean scan(SpreadGroup group) {
        return still(() -> builder.scan(group));
    }

    private boolean still(BooleanSupplier work) {
        building.lock();
        try {
            long stamp = lock.lockRead();
            try {
                return work.getAsBoolean();
            } finally {
                lock.unlockRead(stamp);
            }
        } finally {
            building.unlock();
        }
    }

    private <T extends @Nullable Object> T locked(Supplier<T> work) {
        lock.lockWrite();
        try {
            return work.get();
        } finally {
            hasPendingReleases = !pendingReleases.isEmpty();
            lock.unlockWrite();
        }
    }

    private @Nullable PodPlan findCurrent(IncomingPod pod, SpreadDefaults defaults) {
        PodPlan known = cache.find(pod, defaults);
        if (known != null && known.isCurrent()) {
            return known;
        }
        PodSelector owners = compiler.ownersSelector(pod, defaults);
        PodPlan shared = owners == null ? null : cache.find(pod, defaults, owners);
        return shared == null || shared.isDropped() ? null : shared.forPod(pod);
    }

    /** Stores a new plan. If another thread was faster, its plan is used and this one is released. */
    private PodPlan publish(PodPlan plan, PinnedPlans pinned) {
        PodPlan known = findCurrent(plan.pod(), plan.defaults());
        if (known != null && pinned.pin(known)) {
            enqueueRelease(plan);
            return known;
        }
        pinned.pin(plan);
        compiled.increment();
        compiler.account(plan);
        plan.countBytes();
        planBytes += plan.ownBytes();
        PodPlan replaced = cache.put(plan);
        if (replaced != null) {
            if (replaced.retire()) {
                enqueueRelease(replaced);
            } else {
                retired.add(replaced);
            }
        }
        sum();
        return plan;
    }

    /** Drops those of the plans that no call holds; returns how many. */
    private int evictUnused(List<PodPlan> unused) {
        int left = 0;
        for (PodPlan plan : unused) {
            if (cache.drop(plan)) {
                enqueueRelease(plan);
                left++;
            }
        }
        return left;
    }

    /** Queues the steps that release the plan's parts. */
    private void enqueueRelease(PodPlan plan) {
        planBytes -= plan.ownBytes();
        pendingReleases.addAll(compiler.releases(plan));
        sum();
    }

    private void sum() {
        bytes = planBytes + compiler.partBytes();
    }

    /** Drops plans in slices while there are too many or they take too many bytes. Plans that calls hold stay. */
    private void evictExcess(@Nullable PodPlan newest) {
        if (!isOver()) {
            return;
        }
        boolean more = true;
        while (more && isOver()) {
            more = locked(() -> {
                BooleanSupplier isTimeUp = slices.begin();
                boolean dropped = true;
                boolean up = runReleases(isTimeUp);
                while (dropped && !up && isOver()) {
                    PodPlan unused = cache.dropUnused(newest, bytes > options.maxPlanBytes());
                    dropped = unused != null;
                    if (unused != null) {
                        enqueueRelease(unused);
                    }
                    up = runReleases(isTimeUp);
                }
                return dropped;
            });
        }
        drainReleases();
    }

    private boolean isOver() {
        return cache.size() > options.maxPlans() || bytes > options.maxPlanBytes() && cache.size() > 1;
    }

    /**
     * Rejects a new plan if calls hold too much. Calls may hold a little more than the bound on plans, so that calls in
     * progress can continue.
     */
    private void requireRoom() {
        long above = Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
        if (bytes - options.maxPlanBytes() > above && cache.size() > 1) {
            throw new PlanLimitException("the plans that calls use at the same time must take at most "
                    + (options.maxPlanBytes() + above) + " bytes, took " + bytes
                    + "; ask about fewer kinds of pods at once, or raise the limit on plans (--max-plan-bytes)");
        }
    }

    /**
     * Drops plans that were not used recently if the plans that depend on the same events would slow these down too
     * much.
     */
    private void evictCostly(PodPlan newest) {
        EventCostLimits.Excess excess;
        long stamp = lock.lockRead();
        try {
            excess = compiler.excessJoinedBy(newest);
        } finally {
            lock.unlockRead(stamp);
        }
        if (excess != null) {
            List<PodPlan> unused = List.copyOf(excess.unused(cache.all(), newest));
            for (int from = 0; from < unused.size(); from += EVICTIONS_PER_LOCK) {
                List<PodPlan> few = unused.subList(from, Math.min(unused.size(), from + EVICTIONS_PER_LOCK));
                locked(() -> evictUnused(few));
                drainReleases();
            }
        }
    }
}
