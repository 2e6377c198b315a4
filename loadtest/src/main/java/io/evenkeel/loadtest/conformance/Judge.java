package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.NodeCode;
import java.util.HashMap;
import java.util.Map;

/** Asks a server for the answers of one query. There is one implementation per kind of call. */
interface Judge {
    /**
     * Asks for the answers that the query expects.
     *
     * @throws PlacementException if a call fails, or the pod cannot be evaluated
     */
    Verdicts judge(Scenario.Query query, DefaultConstraints defaults);

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
