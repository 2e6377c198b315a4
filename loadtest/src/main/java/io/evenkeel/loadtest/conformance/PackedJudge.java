package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.NodeTable;
import io.evenkeel.client.NodeTables;
import io.evenkeel.client.PackedAnswers;
import io.evenkeel.client.PackedVerdicts;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.v1.DefaultConstraints;
import java.util.List;
import java.util.stream.IntStream;

/** Calls Evaluate for packed answers: bit sets and bytes by node index. */
final class PackedJudge implements Judge {
    private final PlacementClient client;
    private final NodeTables tables;

    PackedJudge(PlacementClient client) {
        this.client = client;
        tables = client.nodeTables();
    }

    @Override
    public Verdicts judge(Scenario.Query query, DefaultConstraints defaults) {
        PackedAnswers answers = PackedAnswers.of(client.evaluate(Query.of(query.pod())
                .defaults(defaults)
                .among(Judge.candidates(query))
                .packed()
                .best(1)
                .toEvaluate()));
        PackedVerdicts packed = answers.pod(0);
        NodeTable table = tables.of(answers);
        Verdicts verdicts = new Verdicts();
        for (String name : candidates(query, table)) {
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

    private static List<String> candidates(Scenario.Query query, NodeTable table) {
        if (query.candidates() != null) {
            return query.candidates();
        }
        return IntStream.range(0, table.size())
                .mapToObj(table::name)
                .filter(name -> !name.isEmpty())
                .toList();
    }
}
