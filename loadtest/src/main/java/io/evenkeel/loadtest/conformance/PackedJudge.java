package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.NodeTable;
import io.evenkeel.client.NodeTables;
import io.evenkeel.client.PackedAnswers;
import io.evenkeel.client.PackedVerdicts;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementQueries;
import io.evenkeel.client.Query;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.Pod;
import java.util.List;
import java.util.stream.IntStream;

/** Calls Evaluate for packed answers: bit sets and bytes by node index. */
final class PackedJudge implements Judge {
    private final NodeTables tables;

    PackedJudge(PlacementClient client) {
        tables = client.nodeTables();
    }

    @Override
    public Verdicts judge(PlacementQueries asked, Scenario.Query query, DefaultConstraints defaults) {
        PackedAnswers answers = evaluate(asked, query.pod(), defaults, Judge.candidates(query));
        NodeTable table = tables.of(answers);
        return verdicts(answers.pod(0), table, query.candidates() == null ? nodes(table) : query.candidates());
    }

    @Override
    public Fit fit(PlacementQueries asked, Pod pod) {
        PackedAnswers answers = evaluate(asked, pod, Scenario.NO_DEFAULTS, CandidateNodes.fitting());
        PackedVerdicts packed = answers.pod(0);
        NodeTable table = tables.of(answers);
        return new Fit(verdicts(packed, table, nodes(table)), Judge.counts(packed.reasons()), null);
    }

    private static PackedAnswers evaluate(
            PlacementQueries asked, Pod pod, DefaultConstraints defaults, Candidates candidates) {
        return PackedAnswers.of(asked.evaluate(Query.of(pod)
                .defaults(defaults)
                .among(candidates)
                .packed()
                .best(1)
                .toEvaluate()));
    }

    private static Verdicts verdicts(PackedVerdicts packed, NodeTable table, List<String> names) {
        Verdicts verdicts = new Verdicts();
        for (String name : names) {
            int index = table.index(name);
            if (index >= 0) {
                verdicts.codes().put(name, packed.code(index));
                if (packed.passed(index)) {
                    verdicts.scores().put(name, packed.score(index));
                }
            }
        }
        return verdicts;
    }

    private static List<String> nodes(NodeTable table) {
        return IntStream.range(0, table.size())
                .mapToObj(table::name)
                .filter(name -> !name.isEmpty())
                .toList();
    }
}
