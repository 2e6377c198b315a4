package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.PlacementQueries;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReasonCount;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asks a server for the answers of one query. There is one implementation per kind of call. */
interface Judge {
    /**
     * Asks for the answers that the query expects.
     *
     * @param asked the state to ask
     * @throws PlacementException if a call fails, or the pod cannot be evaluated
     */
    Verdicts judge(PlacementQueries asked, Scenario.Query query, DefaultConstraints defaults);

    /**
     * Asks for every filter on every node, without default constraints.
     *
     * @param asked the state to ask
     * @throws PlacementException if the call fails, or the pod cannot be evaluated
     */
    Fit fit(PlacementQueries asked, Pod pod);

    /**
     * Which nodes a pod fits on.
     *
     * @param verdicts with the scores of the nodes that passed
     * @param counts by message, how many nodes have it
     * @param words null if the form of the answer has none
     */
    record Fit(
            Verdicts verdicts,
            Map<String, Integer> counts,
            @Nullable Words words) {}

    /**
     * The texts of an answer.
     *
     * @param messages of each node; empty if it passed
     * @param sentence the summary; empty if some nodes passed
     */
    record Words(Map<String, String> messages, String sentence) {}

    static Map<String, Integer> counts(List<ReasonCount> reasons) {
        Map<String, Integer> counts = new HashMap<>();
        reasons.forEach(reason -> counts.merge(reason.getMessage(), reason.getNodeCount(), Integer::sum));
        return counts;
    }

    /**
     * The answers, by node name. Answers that the query does not expect may be missing.
     *
     * @param codes the code of each candidate that the server knows
     * @param scores the score of each candidate that was scored
     */
    record Verdicts(Map<String, NodeCode> codes, Map<String, Integer> scores) {
        Verdicts() {
            this(new HashMap<>(), new HashMap<>());
        }
    }

    static Candidates candidates(Scenario.Query query) {
        return query.candidates() == null ? CandidateNodes.all() : CandidateNodes.named(query.candidates());
    }
}
