package io.evenkeel.placement.explain;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.Pod;
import org.jspecify.annotations.Nullable;

/**
 * Explains the answer for one pod. Takes long: it looks at every node, writes much and, where the pod fits nowhere,
 * tries out what might be meant. Safe for use by several threads.
 */
public final class PodExplainer {
    private final SpreadEngine engine;

    public PodExplainer(SpreadEngine engine) {
        this.engine = engine;
    }

    /** A response that lacks the instance of its revision. */
    public record Explained(long revision, ExplainResponse.Builder response) {}

    /**
     * Explains the answer for one pod.
     *
     * @param pod what the plan's pod was read from
     * @param without a pod of the cluster that is thought away, or null
     * @param maxDomains the most domains listed for a constraint
     * @param maxNodes the most nodes listed
     * @param hold of the call: what is tried out is compiled for it too
     * @param stop says when nobody waits for it any more
     */
    public Explained explain(
            Pod pod,
            PodPlan plan,
            CandidateNodes candidates,
            @Nullable PodKey without,
            int maxDomains,
            int maxNodes,
            PlanHold hold,
            StopSignal stop) {
        Explanation explanation = engine.explain(plan, candidates, without, maxDomains, stop);
        ExplainResponse.Builder response =
                new ExplanationWriter(pod, plan.pod(), candidates, explanation).write(maxNodes);
        boolean named = !pod.getMetadata().getName().isEmpty();
        response.addAllAdvice(new ConstraintAdvisor(plan.pod(), named, explanation).advice());
        response.addAllAdvice(
                new ConstraintTrials(engine, plan, candidates, without, explanation, hold, stop).advice());
        return new Explained(explanation.revision(), response);
    }
}
