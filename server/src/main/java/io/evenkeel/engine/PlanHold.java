package io.evenkeel.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * The plans that one call uses: none of them is dropped to make room until the call is done, however many others are asked for meanwhile. A call also says here when it is to end, and how much it
 * may have built for it.
 *
 * <p>From {@link SpreadEngine#hold}; close it, soon. For use by one thread at a time.
 */
public final class PlanHold implements AutoCloseable {
    /** For calls that may have any number of groups built. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private final Plans plans;
    private final StopSignal stop;
    private final int mostNewGroups;
    private final List<PodPlan> held = new ArrayList<>();
    private int newGroups;

    PlanHold(Plans plans, StopSignal stop, int mostNewGroups) {
        this.plans = plans;
        this.stop = stop;
        this.mostNewGroups = mostNewGroups;
    }

    /**
     * The plan for a pod, as {@link SpreadEngine#plan}, held until this is closed.
     *
     * @throws StoppedException where the call is to end before the plan is there
     * @throws PlanLimitException where the call would have more groups built than it may, or holds more than the engine has room for
     */
    public PodPlan plan(IncomingPod pod, DefaultConstraints defaults) {
        while (true) {
            PodPlan known = plans.find(pod, defaults);
            if (known == null) {
                return plans.compile(pod, defaults, this);
            }
            if (hold(known)) {
                return known;
            }
        }
    }

    /** The same plan where it holds, else one for the same pod that held a moment ago. */
    PodPlan renew(PodPlan plan) {
        if (hold(plan) && plans.isCurrent(plan)) {
            return plan;
        }
        return plans.compile(plan.pod(), plan.defaults(), this);
    }

    /** Holds a plan, unless it has been dropped. */
    boolean hold(PodPlan plan) {
        if (!plan.pin()) {
            return false;
        }
        held.add(plan);
        return true;
    }

    StopSignal stop() {
        return stop;
    }

    /**
     * Notes that so many groups are about to be built.
     *
     * @throws PlanLimitException where these are too many
     */
    void admitNewGroups(int more) {
        newGroups += more;
        if (newGroups > mostNewGroups) {
            throw new PlanLimitException("a call must need at most " + mostNewGroups
                    + " groups that nobody has asked for before (constraints with a selector, topology key or node policy of their own), needed "
                    + newGroups + " or more; ask about fewer kinds of pods at once");
        }
    }

    /** Lets all plans go; those that are too many are dropped. */
    @Override
    public void close() {
        List<PodPlan> retired = held.stream().filter(PodPlan::unpin).toList();
        held.clear();
        plans.letGo(retired);
    }
}
