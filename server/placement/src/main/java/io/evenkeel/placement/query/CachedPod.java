package io.evenkeel.placement.query;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Footprint;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.UnjudgedRule;
import java.lang.ref.WeakReference;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod of the {@link PodCache}: the translated pod and its most recent plans. The references to plans are weak because
 * the engine decides how long to keep them. A plan is used again only if its defaults are those in force and the engine
 * confirms that it is still valid. Thread-safe.
 *
 * <p>Only with rules FITTING, an answer depends on the pod's requests and its node. Pods that differ only in these
 * share a plan for other questions.
 */
final class CachedPod {
    /** This many terms of anti-affinity can be compared with a pod in well under a millisecond. */
    private static final int MAX_TERMS = 1_024;

    private static final int REPELLED = UnjudgedRules.bit(UnjudgedRule.UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS);

    private static final int BYTES_OF_A_SHORTAGE = "Insufficient , ".length();

    private final SpreadDefaults profileDefaults;
    private final String namespace;
    private final Map<String, String> labels;
    private final int unjudged;
    private final View whole;
    private final View spread;
    private volatile Repulsion repulsion = new Repulsion(0, false);

    /** Whether anti-affinity of pods on nodes matches the pod, after this many moves of the terms. */
    private record Repulsion(long moves, boolean is) {}

    /** The pod as some questions see it, and its most recent plan for these. */
    private static final class View {
        volatile IncomingPod pod;
        volatile @Nullable WeakReference<PodPlan> lastPlan;

        View(IncomingPod pod) {
            this.pod = pod;
        }

        void note(PodPlan plan) {
            lastPlan = new WeakReference<>(plan);
            // The plan's pod is equal, and is kept in memory anyway.
            pod = plan.pod();
        }
    }

    /**
     * @param pod the pod, reduced to what its plan depends on
     * @param labels all its labels
     * @param profileDefaults the server's default constraints for the pod's scheduler profile
     */
    CachedPod(IncomingPod pod, Map<String, String> labels, SpreadDefaults profileDefaults) {
        this.profileDefaults = profileDefaults;
        this.namespace = pod.namespace();
        this.labels = pod.labels().equals(labels) ? pod.labels() : labels;
        unjudged = UnjudgedRules.of(pod.requests());
        whole = new View(pod);
        spread = pod.requests().isKnown() || !pod.nodeName().isEmpty() ? new View(pod.withoutDemands()) : whole;
    }

    private View view(EntryRules rules) {
        return rules == EntryRules.FITTING ? whole : spread;
    }

    /** The default constraints in force: those of the request or, if {@code own} is null, the server's. */
    SpreadDefaults defaults(@Nullable SpreadDefaults own) {
        return own == null ? profileDefaults : own;
    }

    /** The number of constraints in force for the pod: its own or, if it has none, the defaults. */
    int constraints(SpreadDefaults defaults) {
        return defaults.inForceFor(whole.pod).size();
    }

    /** See {@link PodPlans.Wanted#shortageBytes}. */
    int shortageBytes() {
        return whole.pod.requests().amounts().stream()
                .mapToInt(amount -> BYTES_OF_A_SHORTAGE + amount.resource().length())
                .sum();
    }

    /** The approximate size of the pod in bytes. */
    long bytes() {
        return whole.pod.bytes() + (spread == whole ? 0 : spread.pod.bytes()) + Footprint.of(labels);
    }

    /**
     * The rules that are not judged and that the pod calls for by what it asks for, or that pods on nodes call for by
     * their anti-affinity.
     */
    int unjudged(SpreadEngine engine) {
        long moves = engine.antiAffinityMoves();
        Repulsion last = repulsion;
        if (last.moves != moves) {
            last = new Repulsion(moves, engine.antiAffinityTo(namespace, labels, MAX_TERMS) != null);
            repulsion = last;
        }
        return last.is ? unjudged | REPELLED : unjudged;
    }

    /** The plan, or null if there is no valid one. */
    @Nullable
    PodPlan findPlan(SpreadEngine engine, EntryRules rules, SpreadDefaults defaults) {
        View view = view(rules);
        WeakReference<PodPlan> last = view.lastPlan;
        PodPlan plan = last == null ? null : last.get();
        if (plan != null && plan.defaults().equals(defaults) && engine.isStillValid(plan)) {
            return plan;
        }
        PodPlan found = engine.findPlan(view.pod, defaults);
        if (found != null) {
            view.note(found);
        }
        return found;
    }

    /** The plan, pinned by {@code pins}. Compiles it if there is none. */
    PodPlan plan(PlanPins pins, EntryRules rules, SpreadDefaults defaults) {
        View view = view(rules);
        PodPlan plan = pins.plan(view.pod, defaults);
        view.note(plan);
        return plan;
    }
}
