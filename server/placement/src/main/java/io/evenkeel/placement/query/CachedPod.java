package io.evenkeel.placement.query;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.plan.PodPlan;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * A pod of the {@link PodCache}: the pod as the engine takes it, and the plan that was found for it last. The plan is
 * referenced weakly, because the engine decides how long to keep it. Before it is used again, its defaults are compared
 * with those in force, and the engine says whether it is still valid. Safe for use by several threads.
 */
final class CachedPod {
    private final SpreadDefaults profileDefaults;
    private volatile IncomingPod pod;
    private volatile @Nullable WeakReference<PodPlan> lastPlan;

    /** @param profileDefaults the server's default constraints for the pod's scheduler profile */
    CachedPod(IncomingPod pod, SpreadDefaults profileDefaults) {
        this.pod = pod;
        this.profileDefaults = profileDefaults;
    }

    /** The default constraints in force: {@code own} of the request, or the server's where that is null. */
    SpreadDefaults defaults(@Nullable SpreadDefaults own) {
        return own == null ? profileDefaults : own;
    }

    /** How many constraints are in force for the pod: its own or, where it has none, the defaults. */
    int constraints(SpreadDefaults defaults) {
        return defaults.inForceFor(pod).size();
    }

    /** Roughly how many bytes the pod takes. */
    long bytes() {
        return pod.bytes();
    }

    /** The plan, or null where there is no valid one. */
    @Nullable
    PodPlan findPlan(SpreadEngine engine, SpreadDefaults defaults) {
        WeakReference<PodPlan> last = lastPlan;
        PodPlan plan = last == null ? null : last.get();
        if (plan != null && plan.defaults().equals(defaults) && engine.holds(plan)) {
            return plan;
        }
        PodPlan found = engine.findPlan(pod, defaults);
        if (found != null) {
            note(found);
        }
        return found;
    }

    /** The plan, which {@code hold} then keeps; it is compiled where there is none. */
    PodPlan plan(PlanHold hold, SpreadDefaults defaults) {
        PodPlan plan = hold.plan(pod, defaults);
        note(plan);
        return plan;
    }

    private void note(PodPlan plan) {
        lastPlan = new WeakReference<>(plan);
        // This pod is equal, and the plan keeps it in memory anyway.
        pod = plan.pod();
    }
}
