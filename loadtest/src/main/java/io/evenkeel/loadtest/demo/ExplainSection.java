package io.evenkeel.loadtest.demo;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.loadtest.text.Timing;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import org.jspecify.annotations.Nullable;

/** Section 3 of the demo: explains two of the answers. */
final class ExplainSection {
    private static final int CALLS = 10;
    private static final int FEW_DOMAINS = 12;

    private final Screen screen;
    private final Claims claims;
    private final PlacementClient client;

    ExplainSection(Screen screen, Claims claims, PlacementClient client) {
        this.screen = screen;
        this.claims = claims;
        this.client = client;
    }

    void show(ClusterGenerator generator) {
        screen.heading("3. Why there? (Explain)");
        show(Workloads.largest(generator, Spread.HARD_ZONE_HARD_HOSTNAME));
        show(Workloads.largest(generator, Spread.FIVE_CONSTRAINTS));
    }

    private void show(@Nullable Workload workload) {
        if (workload == null) {
            return;
        }
        ExplainRequest request = ExplainRequest.newBuilder()
                .setPod(workload.incomingPod())
                .setMaxVerdicts(1)
                .build();
        Timing<ExplainResponse> explain = Timing.of(CALLS, () -> client.explain(request));
        ExplainResponse answer = explain.answer();
        screen.blank();
        screen.paragraph("%s/%s (%s): %s [%s ms]"
                .formatted(
                        workload.namespace(),
                        workload.name(),
                        workload.spread().words(),
                        answer.getSummary(),
                        Numbers.millis(explain.medianNanos())));
        screen.table(Explanations.constraints(answer.getConstraintsList()));
        ConstraintExplanation first = answer.getConstraints(0);
        if (first.getDomainCount() <= FEW_DOMAINS) {
            screen.blank();
            screen.table(Explanations.domains(first));
        }
        int passed = client.evaluate(Query.of(workload.incomingPod())
                        .among(CandidateNodes.enterable())
                        .toEvaluate())
                .getAnswers(0)
                .getReadable()
                .getPassedCount();
        claims.equal(workload.name() + ": nodes passed by Explain", passed, answer.getPassedCount());
    }
}
