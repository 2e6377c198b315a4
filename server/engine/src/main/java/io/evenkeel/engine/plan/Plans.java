package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
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
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The plans in use, and what they cost: each is compiled once, its groups are built by the thread that asks for it, and
 * the least used go where there are too many, where they take too much memory, or where events would take too long for
 * them.
 *
 * <p>Safe for use by several threads, none of which may hold the engine's lock unless a method says so.
 */
public final class Plans {
    /** Plans whose cost to events is looked at, and that are dropped, in one hold of the lock. */
    private static final int DROPS_A_HOLD = 8;

    /** What calls may hold above the bound. */
    private static final int PART_OF_HEAP = 16;

    private final EngineLock lock;
    private final EngineOptions options;
    private final PlanCompiler compiler;
    private final GroupBuilder builder;
    private final Slices slices;
    private final PlanCache cache = new PlanCache();

    /** What plans take beside the parts that they share; changed under the lock. */
    private long planBytes;

    /** The same with all parts; for looks without the lock. */
    private volatile long bytes;

    private final LongAdder compiled = new LongAdder();

    /** Plans that nobody finds any more and that calls still hold; changed under the write lock. */
    private final Set<PodPlan> retired = new HashSet<>();

    /** What lets parts go of plans that are dropped; run in this order under the write lock. */
    private final ArrayDeque<Runnable> leaving = new ArrayDeque<>();

    /** Whether there is any; for looks without the lock. */
    private volatile boolean hasLeaving;

    /** How many plans are being compiled, each of which may hold uses of parts that no stored plan does. */
    private final AtomicInteger compiling = new AtomicInteger();

    /**
     * @param lock the engine's: for writing where parts are made or dropped, for reading where pods are looked through
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

    /** How many plans were compiled so far and stored. */
    public long compiled() {
        return compiled.sum();
    }

    /** About how many bytes plans take, with all that they count by. */
    public long bytes() {
        return bytes;
    }

    /** How many plans stand in line to make room. */
    public int inLine() {
        return cache.inLine();
    }

    /** The plan that is stored for a pod, whether it still holds or not; null where there is none. Needs no lock. */
    public @Nullable PodPlan find(IncomingPod pod, SpreadDefaults defaults) {
        return cache.find(pod, defaults);
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
     * A plan that held a moment ago, for which {@code pinned} has it. Others go on while its groups are built.
     *
     * @throws StoppedException where the call is to end; the plan's parts are let go
     * @throws PlanLimitException where there is no room for it
     */
    PodPlan compile(IncomingPod pod, SpreadDefaults defaults, PinnedPlans pinned) {
        pinned.stop().check();
        trim(null);
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
     * The plan that another thread has stored meanwhile, or the draft's, which is then complete, but for its groups.
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
                letGoOf(draft::releases);
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
        PodPlan stored = locked(() -> publish(fresh, pinned));
        letGo();
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
                letGoOf(() -> compiler.releases(fresh));
            }
        }
    }

    /**
     * Lets parts go of plans that were retired while a call held them, and makes room where there was none as long as
     * it did. Takes no lock where there is neither: other calls let go of their parts themselves.
     */
    void letGo(List<PodPlan> plans) {
        for (PodPlan plan : plans) {
            locked(() -> leaveRetired(plan));
        }
        if (!plans.isEmpty()) {
            letGo();
        }
        trim(null);
    }

    private boolean leaveRetired(PodPlan plan) {
        leave(plan);
        return retired.remove(plan);
    }

    private void letGoOf(Supplier<List<Runnable>> releases) {
        locked(() -> leaving.addAll(releases.get()));
        letGo();
    }

    /**
     * Lets the parts go that plans have left, in slices, until there are no more. The caller does not hold the lock.
     */
    private void letGo() {
        while (hasLeaving) {
            locked(() -> releaseSome(slices.begin()));
        }
    }

    /** Lets go of one part at least, where there is one, until time is up; answers whether it is. */
    private boolean releaseSome(BooleanSupplier isTimeUp) {
        boolean up = false;
        while (!up && !leaving.isEmpty()) {
            leaving.remove().run();
            up = isTimeUp.getAsBoolean();
        }
        sum();
        return up;
    }

    /**
     * All plans that rest on parts, stored or held by calls; null while some are being compiled or taken apart. The
     * caller holds the lock.
     */
    public @Nullable Collection<PodPlan> all() {
        if (compiling.get() > 0 || !leaving.isEmpty()) {
            return null;
        }
        List<PodPlan> all = new ArrayList<>(cache.all());
        all.addAll(retired);
        return all;
    }

    /** Runs {@code work} while nobody writes and no group is being built. */
    public void whileStill(Runnable work) {
        synchronized (builder) {
            long stamp = lock.lockRead();
            try {
                work.run();
            } finally {
                lock.unlockRead(stamp);
            }
        }
    }

    /**
     * Looks at the next slice of pods, where the group is one that pods are looked through for, while others read;
     * answers whether it is.
     */
    private boolean scan(SpreadGroup group) {
        synchronized (builder) {
            long stamp = lock.lockRead();
            try {
                return builder.scan(group);
            } finally {
                lock.unlockRead(stamp);
            }
        }
    }

    private <T extends @Nullable Object> T locked(Supplier<T> work) {
        lock.lockWrite();
        try {
            return work.get();
        } finally {
            hasLeaving = !leaving.isEmpty();
            lock.unlockWrite();
        }
    }

    private @Nullable PodPlan findCurrent(IncomingPod pod, SpreadDefaults defaults) {
        PodPlan known = cache.find(pod, defaults);
        return known != null && known.isCurrent() ? known : null;
    }

    /** Stores a plan that nobody else has; where another was faster, that one is taken and this let go. */
    private PodPlan publish(PodPlan plan, PinnedPlans pinned) {
        PodPlan known = findCurrent(plan.pod(), plan.defaults());
        if (known != null && pinned.pin(known)) {
            leave(plan);
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
                leave(replaced);
            } else {
                retired.add(replaced);
            }
        }
        sum();
        return plan;
    }

    /** Drops the plans that no call holds; answers how many. */
    private int leaveAll(List<PodPlan> unused) {
        int left = 0;
        for (PodPlan plan : unused) {
            if (cache.drop(plan)) {
                leave(plan);
                left++;
            }
        }
        return left;
    }

    /** The plan's parts are let go, by and by. */
    private void leave(PodPlan plan) {
        planBytes -= plan.ownBytes();
        leaving.addAll(compiler.releases(plan));
        sum();
    }

    private void sum() {
        bytes = planBytes + compiler.partBytes();
    }

    /** Drops plans where there are too many or they take too much, in slices, but for those that calls hold. */
    private void trim(@Nullable PodPlan newest) {
        if (!isOver()) {
            return;
        }
        boolean more = true;
        while (more && isOver()) {
            more = locked(() -> {
                BooleanSupplier isTimeUp = slices.begin();
                boolean dropped = true;
                boolean up = releaseSome(isTimeUp);
                while (dropped && !up && isOver()) {
                    PodPlan unused = cache.dropUnused(newest, bytes > options.maxPlanBytes());
                    dropped = unused != null;
                    if (unused != null) {
                        leave(unused);
                    }
                    up = releaseSome(isTimeUp);
                }
                return dropped;
            });
        }
        letGo();
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
            crowd = compiler.crowdJoinedBy(newest);
        } finally {
            lock.unlockRead(stamp);
        }
        if (crowd != null) {
            List<PodPlan> unused = crowd.unused(cache.all(), newest);
            for (int from = 0; from < unused.size(); from += DROPS_A_HOLD) {
                List<PodPlan> few = unused.subList(from, Math.min(unused.size(), from + DROPS_A_HOLD));
                locked(() -> leaveAll(few));
                letGo();
            }
        }
    }
}
