package io.evenkeel.placement.query;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.plan.PodPlan;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * A pod as the engine takes it, and the plan that was last found for it. The plan is the engine's to keep or to drop,
 * so it is not held here; whether it is the one wanted is seen by its defaults, and whether it still holds by the
 * engine. Safe for use by several threads.
 */
final class CachedPod {
    private final SpreadDefaults profileDefaults;
    private volatile IncomingPod pod;
    private volatile @Nullable WeakReference<PodPlan> lastPlan;

    /** @param profileDefaults those of the server, for the pod's profile */
    CachedPod(IncomingPod pod, SpreadDefaults profileDefaults) {
        this.pod = pod;
        this.profileDefaults = profileDefaults;
    }

    /** The defaults in force where the request brings {@code own}, or none. */
    SpreadDefaults defaults(@Nullable SpreadDefaults own) {
        return own == null ? profileDefaults : own;
    }

    /** How many constraints come into force: its own, or else the defaults. */
    int constraints(SpreadDefaults defaults) {
        return defaults.inForceFor(pod).size();
    }

    /** About how many bytes the pod takes. */
    long bytes() {
        return pod.bytes();
    }

    /** The plan, where there is one that holds. */
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

    /** The plan, held; compiled where there is none. */
    PodPlan plan(PlanHold hold, SpreadDefaults defaults) {
        PodPlan plan = hold.plan(pod, defaults);
        note(plan);
        return plan;
    }

    private void note(PodPlan plan) {
        lastPlan = new WeakReference<>(plan);
        // Equal, and kept in any case.
        pod = plan.pod();
    }
}
