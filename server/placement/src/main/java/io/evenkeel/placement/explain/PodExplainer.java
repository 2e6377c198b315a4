package io.evenkeel.placement.explain;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.Advice;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.Pod;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Explains the answer for one pod, with advice. This is slow: it reads every node, writes a lot and, if the pod fits on
 * no node, tries changes of its constraints. Thread-safe.
 */
public final class PodExplainer {
    private final SpreadEngine engine;

    public PodExplainer(SpreadEngine engine) {
        this.engine = engine;
    }

    /**
     * The hard constraint whose maxSkew excludes the most candidates, with one of its emptiest domains; null if none
     * excludes any.
     *
     * @param pod the message that the plan's pod was read from
     */
    public @Nullable ConstraintExplanation decisiveConstraint(
            Pod pod, PodPlan plan, NodeSubset candidates, StopSignal stop) {
        Explanation explanation = engine.explain(plan, candidates, EntryRules.FITTING, Overlay.NONE, 1, stop);
        return new ExplanationWriter(pod, plan.pod(), EntryRules.FITTING, explanation, 0).decisiveConstraint();
    }

    /** A response that is complete except for its revision and versions. */
    public record Explained(long revision, KindVersions versions, ExplainResponse.Builder response) {}

    /**
     * Explains the answer for one pod.
     *
     * @param pod the message that the plan's pod was read from
     * @param ownNode the node that the pod is on in the cluster; empty if there is none
     * @param unjudged the rules that can exclude nodes for the pod and are not judged; see {@link UnjudgedRules}
     * @param overlay the changes that make up the hypothetical cluster
     * @param maxDomains the maximum number of domains to list per constraint
     * @param maxVerdicts the maximum number of nodes to list
     * @param pins the pins of the call, which also pin the plans of trials
     * @param stop stops the work once the call is cancelled or its deadline has passed
     */
    public Explained explain(
            Pod pod,
            String ownNode,
            PodPlan plan,
            int unjudged,
            NodeSubset candidates,
            EntryRules rules,
            Overlay overlay,
            int maxDomains,
            int maxVerdicts,
            PlanPins pins,
            StopSignal stop) {
        Explanation explanation = engine.explain(plan, candidates, rules, overlay, maxDomains, stop);
        ExplainResponse.Builder response =
                new ExplanationWriter(pod, plan.pod(), rules, explanation, unjudged).write(maxVerdicts, ownNode);
        boolean incomplete = unjudged != 0 || rules != EntryRules.FITTING;
        response.addAllUnjudged(new UnjudgedReport(engine, pod, plan.pod()).of(unjudged));
        if (rules == EntryRules.FITTING && !plan.pod().requests().isKnown()) {
            response.addAdvice(Advice.newBuilder()
                    .setField("spec.containers")
                    .setMessage("There are none, so the pod counts as asking for no resources and no host ports."));
        }
        boolean hasNodes = !explanation.verdicts().isEmpty();
        if (hasNodes && rules == EntryRules.FITTING && explanation.nodesWithoutAllocatable() == 0) {
            response.addAllAdvice(absentResources(plan.pod().requests()));
        }
        boolean named = !pod.getMetadata().getName().isEmpty();
        response.addAllAdvice(
                new ConstraintAdvisor(plan.pod(), named, explanation, response.getConstraintsList(), incomplete)
                        .advice());
        response.addAllAdvice(new ConstraintTrials(
                        engine,
                        plan,
                        candidates,
                        rules,
                        overlay,
                        explanation,
                        response.getConstraintsList(),
                        incomplete,
                        pins,
                        stop)
                .advice());
        return new Explained(explanation.revision(), explanation.versions(), response);
    }

    /** Device classes are not known, so dynamic resources may provide what no node has. */
    private List<Advice> absentResources(PodRequests asked) {
        return asked.amounts().stream()
                .map(PodRequests.Amount::resource)
                .filter(resource -> !engine.isAllocatable(resource))
                .map(resource -> Advice.newBuilder()
                        .setField("resources.requests[" + resource + "]")
                        .setMessage("No node has it in status.allocatable."
                                + (resource.contains("/")
                                        ? " A DeviceClass with this extendedResourceName could provide it, which is not"
                                                + " judged (dynamic resources)."
                                        : ""))
                        .build())
                .toList();
    }
}
