package io.evenkeel.engine.plan;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;

/**
 * Keeps the plans that one call uses: none of them is dropped until the call is done, however many others are compiled
 * meanwhile. It also knows when the call must stop, and how many constraints may be compiled for it.
 *
 * <p>Get it from {@code SpreadEngine.pins}, and close it soon. One thread at a time may use it.
 */
public final class PlanPins implements AutoCloseable {
    /** For calls without a limit on the constraints to compile. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private final Plans plans;
    private final PinnedPlans pinned;
    private final int maxNewConstraints;
    private int newConstraints;

    public PlanPins(Plans plans, StopSignal stop, int maxNewConstraints) {
        this.plans = plans;
        this.pinned = new PinnedPlans(stop);
        this.maxNewConstraints = maxNewConstraints;
    }

    /**
     * The plan for a pod, held until this is closed. It is compiled if there is no valid one, which may take long: new
     * groups are counted from the store.
     *
     * @throws StoppedException if the call must stop before the plan is complete
     * @throws PlanLimitException if more constraints would be compiled than the call may have compiled, or the call
     *     holds more than the engine has room for; the call may still ask for other plans
     */
    public PodPlan plan(IncomingPod pod, SpreadDefaults defaults) {
        PodPlan known = plans.find(pod, defaults);
        if (known != null && pin(known)) {
            return known;
        }
        admit(defaults.inForceFor(pod).size());
        return plans.compile(pod, defaults, pinned);
    }

    /** Holds an existing plan until this is closed; returns false if the engine has dropped it. */
    public boolean pin(PodPlan plan) {
        return pinned.pin(plan);
    }

    /**
     * The same plan if it is valid, otherwise a new plan for the same pod. The new one may become stale again at any
     * time.
     */
    public PodPlan renew(PodPlan plan) {
        if (pin(plan) && plans.isCurrent(plan)) {
            return plan;
        }
        return plans.compile(plan.pod(), plan.defaults(), pinned);
    }

    public StopSignal stop() {
        return pinned.stop();
    }

    /**
     * Checks the limit before anything is compiled, so that a rejected pod costs nothing and smaller pods can still be
     * compiled.
     */
    private void admit(int constraints) {
        if (constraints > maxNewConstraints - newConstraints) {
            throw new PlanLimitException("constraints of pods that were not asked about before must be at most "
                    + maxNewConstraints + " in a call, were " + ((long) newConstraints + constraints)
                    + " or more; ask about fewer kinds of pods at once");
        }
        newConstraints += constraints;
    }

    /** Releases all plans. Plans beyond the bounds are dropped. */
    @Override
    public void close() {
        plans.release(pinned.unpinAll());
    }
}
