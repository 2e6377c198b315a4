package io.evenkeel.engine.plan;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;

/**
 * The plans that one call uses: none of them is dropped to make room until the call is done, however many others are
 * asked for meanwhile. A call also says here when it is to end, and how much it may have built for it.
 *
 * <p>From {@code SpreadEngine.hold}; close it, soon. For use by one thread at a time.
 */
public final class PlanHold implements AutoCloseable {
    /** For calls that may have any number of constraints compiled. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private final Plans plans;
    private final PinnedPlans pinned;
    private final int mostNewConstraints;
    private int newConstraints;

    public PlanHold(Plans plans, StopSignal stop, int mostNewConstraints) {
        this.plans = plans;
        this.pinned = new PinnedPlans(stop);
        this.mostNewConstraints = mostNewConstraints;
    }

    /**
     * The plan for a pod, as {@code SpreadEngine.plan}, held until this is closed.
     *
     * @throws StoppedException where the call is to end before the plan is there
     * @throws PlanLimitException where the call would have more constraints compiled than it may, or holds more than
     *     the engine has room for; it may still ask for other plans
     */
    public PodPlan plan(IncomingPod pod, SpreadDefaults defaults) {
        PodPlan known = plans.find(pod, defaults);
        if (known != null && keep(known) && plans.isCurrent(known)) {
            return known;
        }
        admit(defaults.inForceFor(pod).size());
        return plans.compile(pod, defaults, pinned);
    }

    /** Holds a plan that was had elsewhere until this is closed; answers false where the engine has dropped it. */
    public boolean keep(PodPlan plan) {
        return pinned.pin(plan);
    }

    /** The same plan where it holds, else one for the same pod that held a moment ago. */
    public PodPlan renew(PodPlan plan) {
        if (keep(plan) && plans.isCurrent(plan)) {
            return plan;
        }
        return plans.compile(plan.pod(), plan.defaults(), pinned);
    }

    public StopSignal stop() {
        return pinned.stop();
    }

    /** Before anything is made for them: what is refused costs nothing, and leaves its room to smaller ones. */
    private void admit(int constraints) {
        if (constraints > mostNewConstraints - newConstraints) {
            throw new PlanLimitException("constraints of pods whose like was not asked about before must be at most "
                    + mostNewConstraints + " in a call, were " + ((long) newConstraints + constraints)
                    + " or more; ask about fewer kinds of pods at once");
        }
        newConstraints += constraints;
    }

    /** Lets all plans go; those that are too many are dropped. */
    @Override
    public void close() {
        plans.letGo(pinned.unpinAll());
    }
}
