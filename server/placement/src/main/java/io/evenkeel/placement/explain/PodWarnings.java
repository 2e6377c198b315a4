package io.evenkeel.placement.explain;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.Pod;
import java.util.List;

/**
 * Finds the mistakes in a pod's constraints that can be seen before the pod exists: those of {@link ConstraintAdvisor}
 * that depend on the pod alone and, while the cluster's nodes are known and fed, those that depend on them. Missing
 * selectors are not among them, because the API server warns of them itself. Thread-safe.
 */
public final class PodWarnings {
    private static final String SPEC = "spec.";

    private final QueryServices services;

    public PodWarnings(QueryServices services) {
        this.services = services;
    }

    /**
     * The warnings about a pod, each of which begins with a field of the pod's spec. Default constraints are not its
     * mistakes. Takes as long as explaining the pod, in this thread.
     *
     * @throws InvalidObjectException if the pod is invalid
     * @throws PlanLimitException if its constraints exceed a limit
     * @throws StoppedException soon after {@code stop} says so
     */
    public List<String> of(Pod pod, StopSignal stop) throws InvalidObjectException {
        if (pod.getSpec().getTopologySpreadConstraintsCount() == 0) {
            return List.of();
        }
        boolean nodesAreKnown = services.access().feeds().isReady()
                && services.access().feeds().of(ObjectKind.NODE).since() != null;
        PodPlans.Wanted wanted = services.plans().readWhole(pod, null, null);
        try (PlanPins pins = services.pinPlans(stop)) {
            PodPlan plan = wanted.get(pins);
            Explanation explanation = services.access()
                    .engine()
                    .explain(plan, NodeSubset.ALL, EntryRules.ENTERABLE, Overlay.NONE, 1, stop);
            boolean named = !pod.getMetadata().getName().isEmpty();
            ConstraintAdvisor advisor = new ConstraintAdvisor(plan.pod(), named, explanation, List.of(), true);
            advisor.advice();
            return advisor.warnings().stream()
                    .filter(warning -> nodesAreKnown || !warning.ofNodes())
                    .map(warning -> warning.field().substring(SPEC.length()) + ": " + warning.text())
                    .toList();
        }
    }
}
