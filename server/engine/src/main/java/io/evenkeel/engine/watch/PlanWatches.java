package io.evenkeel.engine.watch;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.Plans;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Finds the watched plans for which a node has begun to pass: the rules {@code EntryRules.FITTING} and the hard
 * constraints admit their pod there, which they did not when the plan was last checked.
 *
 * <p>If nothing that a plan's answer depends on has changed, a check costs a comparison of numbers. If only what is
 * free on some nodes has changed, it judges these nodes, and otherwise all nodes. It holds the engine's lock for
 * reading, in slices, so that no reader waits for it. If other threads write meanwhile, plans are checked at later
 * revisions than the caller's.
 *
 * <p>Not thread-safe: callers take turns. They must not hold the engine's lock.
 */
public final class PlanWatches {
    private final EngineLock lock;
    private final ClusterView cluster;
    private final Plans plans;
    private final Slices slices;
    private final PlanEvaluation evaluation;
    private final AtomicLong room;
    private final List<PlanWatch> watches = new ArrayList<>();
    private final Answer scratch = new Answer();

    /** Receives the plans for which a node has begun to pass. */
    @FunctionalInterface
    public interface Listener {
        /**
         * A node passes that did not pass before. Called under the engine's lock for reading, so it must be quick.
         *
         * @param revision the revision at which it passes
         */
        void unblocked(PlanWatch watch, long revision);
    }

    /** @param room how many more bytes the plans of all watches of the engine may take */
    public PlanWatches(
            EngineLock lock,
            ClusterView cluster,
            Plans plans,
            Slices slices,
            PlanEvaluation evaluation,
            AtomicLong room) {
        this.lock = lock;
        this.cluster = cluster;
        this.plans = plans;
        this.slices = slices;
        this.evaluation = evaluation;
        this.room = room;
    }

    /**
     * Watches a plan from now on. It is held, and renewed when it becomes stale, until {@link #end}.
     *
     * @throws PlanLimitException if there is no room for the plan, or for a new one in its place
     */
    public PlanWatch watch(PodPlan plan) {
        plan.requireOf(cluster);
        long bytes = plan.bytes();
        long left = room.getAndUpdate(now -> now < bytes ? now : now - bytes);
        if (left < bytes) {
            throw new PlanLimitException("the plan of the pod takes " + bytes + " bytes, but only " + left
                    + " are left for the plans of watched pods; watch fewer kinds of pods at once, or raise the"
                    + " limit on plans (--max-plan-bytes)");
        }
        PlanPins pins = new PlanPins(plans, StopSignal.NEVER, PlanPins.UNLIMITED);
        // If the engine has dropped it, it is stale.
        boolean unused = pins.pin(plan);
        PlanWatch watch = new PlanWatch(plan, pins, bytes);
        try {
            check(watch, (any, revision) -> {});
        } catch (RuntimeException | Error e) {
            release(watch);
            throw e;
        }
        watches.add(watch);
        return watch;
    }

    /** Ends a watch, and releases its plan. */
    public void end(PlanWatch watch) {
        watches.remove(watch);
        release(watch);
    }

    private void release(PlanWatch watch) {
        watch.close();
        room.addAndGet(watch.bytes());
    }

    /**
     * Checks all plans.
     *
     * @throws PlanLimitException if a plan is no longer valid, and there is no room for a new one
     */
    public void check(Listener listener) {
        for (int next = 0; next < watches.size(); ) {
            int current = checkWhileCurrent(next, listener);
            if (current < watches.size() && current == next) {
                check(watches.get(current++), listener);
            }
            next = current;
        }
    }

    /** Checks plans from one on for the time of a slice; returns the first that is stale or left. */
    private int checkWhileCurrent(int from, Listener listener) {
        long stamp = lock.lockRead();
        try {
            BooleanSupplier isTimeUp = slices.begin();
            int next = from;
            while (next < watches.size() && advance(watches.get(next), listener)) {
                next++;
                if (isTimeUp.getAsBoolean()) {
                    break;
                }
            }
            return next;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * Checks one plan; returns the revision at which it was checked.
     *
     * @throws PlanLimitException if the plan is no longer valid, and there is no room for a new one
     */
    public long check(PlanWatch watch, Listener listener) {
        while (true) {
            long stamp = lock.lockRead();
            try {
                if (advance(watch, listener)) {
                    return cluster.revision();
                }
            } finally {
                lock.unlockRead(stamp);
            }
            renew(watch);
        }
    }

    /** Checks a plan under the lock; returns false if it is stale. */
    private boolean advance(PlanWatch watch, Listener listener) {
        if (!watch.plan().isCurrent()) {
            return false;
        }
        if (watch.advance(cluster, evaluation, scratch)) {
            listener.unblocked(watch, cluster.revision());
        }
        return true;
    }

    private void renew(PlanWatch watch) {
        PlanPins pins = new PlanPins(plans, StopSignal.NEVER, PlanPins.UNLIMITED);
        PodPlan valid;
        try {
            valid = pins.plan(watch.plan().pod(), watch.plan().defaults());
        } catch (RuntimeException | Error e) {
            pins.close();
            throw e;
        }
        watch.replace(valid, pins);
    }
}
