package io.evenkeel.placement.query;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * A pod of the {@link PodCache}: the translated pod and its most recent plan. The reference to the plan is weak because
 * the engine decides how long to keep it. A plan is used again only if its defaults are those in force and the engine
 * confirms that it is still valid. Thread-safe.
 */
final class CachedPod {
    private static final int BYTES_OF_A_SHORTAGE = "Insufficient , ".length();

    private final SpreadDefaults profileDefaults;
    private volatile IncomingPod pod;
    private volatile @Nullable WeakReference<PodPlan> lastPlan;

    /** @param profileDefaults the server's default constraints for the pod's scheduler profile */
    CachedPod(IncomingPod pod, SpreadDefaults profileDefaults) {
        this.pod = pod;
        this.profileDefaults = profileDefaults;
    }

    /** The default constraints in force: those of the request or, if {@code own} is null, the server's. */
    SpreadDefaults defaults(@Nullable SpreadDefaults own) {
        return own == null ? profileDefaults : own;
    }

    /** The number of constraints in force for the pod: its own or, if it has none, the defaults. */
    int constraints(SpreadDefaults defaults) {
        return defaults.inForceFor(pod).size();
    }

    /** See {@link PodPlans.Wanted#shortageBytes}. */
    int shortageBytes() {
        return pod.requests().amounts().stream()
                .mapToInt(amount -> BYTES_OF_A_SHORTAGE + amount.resource().length())
                .sum();
    }

    /** The approximate size of the pod in bytes. */
    long bytes() {
        return pod.bytes();
    }

    /** The plan, or null if there is no valid one. */
    @Nullable
    PodPlan findPlan(SpreadEngine engine, SpreadDefaults defaults) {
        WeakReference<PodPlan> last = lastPlan;
        PodPlan plan = last == null ? null : last.get();
        if (plan != null && plan.defaults().equals(defaults) && engine.isStillValid(plan)) {
            return plan;
        }
        PodPlan found = engine.findPlan(pod, defaults);
        if (found != null) {
            note(found);
        }
        return found;
    }

    /** The plan, pinned by {@code pins}. Compiles it if there is none. */
    PodPlan plan(PlanPins pins, SpreadDefaults defaults) {
        PodPlan plan = pins.plan(pod, defaults);
        note(plan);
        return plan;
    }

    private void note(PodPlan plan) {
        lastPlan = new WeakReference<>(plan);
        // The plan's pod is equal, and is kept in memory anyway.
        pod = plan.pod();
    }
}
