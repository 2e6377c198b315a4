package io.evenkeel.engine.script;

import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All answers to a {@link ScriptedQuery}, by node name. */
public sealed interface Answers {
    /**
     * Which nodes the pod may go to, and which are best.
     *
     * @param verdicts of all candidates
     * @param scoresOfPassed of the candidates that passed Filter, scored without the others
     * @param scoresOfAll of all candidates, scored together
     * @param shutOut for the candidates that the pod may not enter at all: why
     * @param scoresOfEntered of the nodes that the pod may enter and that passed Filter, scored without the others;
     *     null if candidates were named
     * @param fitting with every filter that runs before the constraints
     * @param unknownPods the pods that the overlay refers to and that the cluster does not have
     */
    record Placement(
            Map<String, Verdict> verdicts,
            Map<String, Integer> scoresOfPassed,
            Map<String, Integer> scoresOfAll,
            Map<String, Reason> shutOut,
            @Nullable Map<String, Integer> scoresOfEntered,
            Fitting fitting,
            List<PodKey> unknownPods)
            implements Answers {
        /** Without an overlay. */
        public Placement(
                Map<String, Verdict> verdicts,
                Map<String, Integer> scoresOfPassed,
                Map<String, Integer> scoresOfAll,
                Map<String, Reason> shutOut,
                @Nullable Map<String, Integer> scoresOfEntered,
                Fitting fitting) {
            this(verdicts, scoresOfPassed, scoresOfAll, shutOut, scoresOfEntered, fitting, List.of());
        }
    }

    /**
     * Which nodes the pod fits on.
     *
     * @param verdicts of all candidates
     * @param scores of the candidates that passed, scored without the others
     * @param podsWithoutRequests how many pods on known nodes came without containers
     * @param nodesWithoutAllocatable how many nodes came without allocatable resources
     */
    record Fitting(
            Map<String, Verdict> verdicts,
            Map<String, Integer> scores,
            int podsWithoutRequests,
            int nodesWithoutAllocatable) {}

    /**
     * Whether the pod may go there.
     *
     * @param code by the constraints alone; null if the node is not known
     * @param fitting with every filter that runs before the constraints; null if the node is not known
     * @param unknownPods as in {@link Placement}
     */
    record WhatIf(@Nullable VerdictCode code, @Nullable Verdict fitting, List<PodKey> unknownPods) implements Answers {}
}
