package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.PodAnswer;
import java.util.List;

/** Calls Filter, and then Score for the nodes that must have a score. All nodes are named. */
final class ReadableJudge implements Judge {
    private final PlacementClient client;

    ReadableJudge(PlacementClient client) {
        this.client = client;
    }

    @Override
    public Verdicts judge(Scenario.Query query, DefaultConstraints defaults) {
        Verdicts verdicts = new Verdicts();
        Query question = Query.of(query.pod()).defaults(defaults).everyNode().best(1);
        if (!query.filter().isEmpty()) {
            for (NodeVerdict node :
                    nodes(client.filter(question.among(Judge.candidates(query)).toFilter())
                            .getAnswersList())) {
                verdicts.codes().put(node.getName(), node.getCode());
            }
        }
        if (!query.scores().isEmpty()) {
            for (NodeVerdict node : nodes(client.score(
                            question.among(CandidateNodes.named(query.scores().keySet()))
                                    .toScore())
                    .getAnswersList())) {
                verdicts.scores().put(node.getName(), node.getScore());
            }
        }
        return verdicts;
    }

    private static List<NodeVerdict> nodes(List<PodAnswer> answers) {
        PodAnswer answer = answers.get(0);
        if (answer.hasError()) {
            throw PlacementException.of(answer.getError());
        }
        return answer.getReadable().getVerdictsList();
    }
}
