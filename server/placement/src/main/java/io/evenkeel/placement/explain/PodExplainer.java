package io.evenkeel.placement.explain;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.Pod;

/**
 * Explains the answer for one pod, with advice. This takes long: it reads every node, writes much and, where the pod
 * fits on no node, tries changes of its constraints. Safe for use by several threads.
 */
public final class PodExplainer {
    private final SpreadEngine engine;

    public PodExplainer(SpreadEngine engine) {
        this.engine = engine;
    }

    /** A response that is complete except for its revision and versions. */
    public record Explained(long revision, KindVersions versions, ExplainResponse.Builder response) {}

    /**
     * Explains the answer for one pod.
     *
     * @param pod the message from which the plan's pod was read
     * @param overlay how the cluster is changed in thought
     * @param maxDomains how many domains are listed for a constraint at most
     * @param maxVerdicts how many nodes are listed at most
     * @param hold the hold of the call, which also keeps the plans of trials
     * @param stop says when nobody waits for it any more
     */
    public Explained explain(
            Pod pod,
            PodPlan plan,
            CandidateNodes candidates,
            Overlay overlay,
            int maxDomains,
            int maxVerdicts,
            PlanHold hold,
            StopSignal stop) {
        Explanation explanation = engine.explain(plan, candidates, overlay, maxDomains, stop);
        ExplainResponse.Builder response =
                new ExplanationWriter(pod, plan.pod(), candidates, explanation).write(maxVerdicts);
        boolean named = !pod.getMetadata().getName().isEmpty();
        response.addAllAdvice(new ConstraintAdvisor(plan.pod(), named, explanation).advice());
        response.addAllAdvice(
                new ConstraintTrials(engine, plan, candidates, overlay, explanation, hold, stop).advice());
        return new Explained(explanation.revision(), explanation.versions(), response);
    }
}
