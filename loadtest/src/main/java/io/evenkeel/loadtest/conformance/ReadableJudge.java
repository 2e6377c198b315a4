package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.PlacementQueries;
import io.evenkeel.client.Query;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.ReadableAnswer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Calls Filter, and then Score for the nodes that must have a score. All nodes are named. */
final class ReadableJudge implements Judge {
    @Override
    public Verdicts judge(PlacementQueries asked, Scenario.Query query, DefaultConstraints defaults) {
        Verdicts verdicts = new Verdicts();
        Query question = Query.of(query.pod()).defaults(defaults).everyNode().best(1);
        if (!query.filter().isEmpty()) {
            for (NodeVerdict node :
                    nodes(asked.filter(question.among(Judge.candidates(query)).toFilter())
                            .getAnswersList())) {
                verdicts.codes().put(node.getName(), node.getCode());
            }
        }
        if (!query.scores().isEmpty()) {
            for (NodeVerdict node : nodes(asked.score(
                            question.among(CandidateNodes.named(query.scores().keySet()))
                                    .toScore())
                    .getAnswersList())) {
                verdicts.scores().put(node.getName(), node.getScore());
            }
        }
        return verdicts;
    }

    @Override
    public Fit fit(PlacementQueries asked, Pod pod) {
        ReadableAnswer answer = readable(asked.evaluate(Query.of(pod)
                        .defaults(Scenario.NO_DEFAULTS)
                        .among(CandidateNodes.fitting())
                        .everyNode()
                        .best(1)
                        .toEvaluate())
                .getAnswersList());
        Verdicts verdicts = new Verdicts();
        Map<String, String> messages = new HashMap<>();
        for (NodeVerdict node : answer.getVerdictsList()) {
            verdicts.codes().put(node.getName(), node.getCode());
            messages.put(node.getName(), node.getMessage());
            if (node.getCode() == NodeCode.NODE_CODE_SUCCESS) {
                verdicts.scores().put(node.getName(), node.getScore());
            }
        }
        return new Fit(verdicts, Judge.counts(answer.getReasonsList()), new Words(messages, answer.getSummary()));
    }

    private static List<NodeVerdict> nodes(List<PodAnswer> answers) {
        return readable(answers).getVerdictsList();
    }

    private static ReadableAnswer readable(List<PodAnswer> answers) {
        PodAnswer answer = answers.get(0);
        if (answer.hasError()) {
            throw PlacementException.of(answer.getError());
        }
        return answer.getReadable();
    }
}
