package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.NodeCode;
import java.util.HashMap;
import java.util.Map;

/** A way of asking for the answers of one query. */
interface Judge {
    /**
     * Asks for what the query checks.
     *
     * @throws PlacementException where a call fails, or the pod could not be judged
     */
    Verdicts judge(Scenario.Query query, DefaultConstraints defaults);

    /**
     * What was answered, by node name. What the query does not check may be left out.
     *
     * @param codes of each candidate that the server knows
     * @param scores of each candidate that was scored
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
