package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.NodeCode;
import java.util.HashMap;
import java.util.Map;

/** Asks a server for the answers of one query. There is one implementation for each way to ask. */
interface Judge {
    /**
     * Asks for the answers that the query checks.
     *
     * @throws PlacementException where a call fails, or the pod could not be judged
     */
    Verdicts judge(Scenario.Query query, DefaultConstraints defaults);

    /**
     * The answers, by node name. Answers that the query does not check may be missing.
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
