package io.evenkeel.loadtest.demo;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.loadtest.text.Table;
import io.evenkeel.loadtest.text.Timing;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.ReadableAnswer;
import java.util.ArrayList;
import java.util.List;

/** Section 2 of the demo: asks which nodes can take a new replica of some workloads, and shows how long that takes. */
final class ReplicaSection {
    private static final int CALLS = 100;
    private static final int BATCHES = 20;

    /** The server's default limit. */
    private static final int MOST_PODS_A_CALL = 1_024;

    private final Screen screen;
    private final Claims claims;
    private final PlacementClient client;

    ReplicaSection(Screen screen, Claims claims, PlacementClient client) {
        this.screen = screen;
        this.claims = claims;
        this.client = client;
    }

    void show(ClusterGenerator generator) {
        screen.heading("2. Which nodes can take another replica? (Filter, Score, Evaluate)");
        // The first table is not shown: it lets the JIT compiler warm up.
        table(generator);
        screen.table(table(generator));
        screen.paragraph("Times in ms: median of %d calls over gRPC, each for all %s nodes."
                .formatted(CALLS, Numbers.grouped(generator.shape().nodes())));
        askAboutAll(generator.workloads());
    }

    /** Asks about a new replica of every workload, in as few calls as the server's limits allow. */
    private void askAboutAll(List<Workload> workloads) {
        if (workloads.isEmpty()) {
            return;
        }
        List<Pod> pods = workloads.stream().map(Workload::incomingPod).toList();
        List<EvaluateRequest> requests = new ArrayList<>();
        for (int from = 0; from < pods.size(); from += MOST_PODS_A_CALL) {
            List<Pod> some = pods.subList(from, Math.min(pods.size(), from + MOST_PODS_A_CALL));
            requests.add(
                    Query.of(some).among(CandidateNodes.enterable()).best(1).toEvaluate());
        }
        Timing<List<EvaluateResponse>> timing =
                Timing.of(BATCHES, () -> requests.stream().map(client::evaluate).toList());
        screen.paragraph("%s for a replica of each of the %s workloads: %s ms, or %s us a pod (%s ms the first time)."
                .formatted(
                        requests.size() == 1
                                ? "One call"
                                : requests.size() + " calls of at most " + Numbers.grouped(MOST_PODS_A_CALL) + " pods",
                        Numbers.grouped(pods.size()),
                        Numbers.millis(timing.medianNanos()),
                        Numbers.grouped(timing.medianNanos() / pods.size() / 1000),
                        Numbers.millis(timing.firstNanos())));
        int placeable = 0;
        for (EvaluateResponse response : timing.answer()) {
            for (PodAnswer answer : response.getAnswersList()) {
                claims.equal("a pod's answer", PodAnswer.ResultCase.READABLE, answer.getResultCase());
                placeable += answer.getReadable().getPassedCount() > 0 ? 1 : 0;
            }
        }
        screen.paragraph("%s of them fit on a node.".formatted(Numbers.grouped(placeable)));
    }

    private Table table(ClusterGenerator generator) {
        Table table = new Table("replica of", "constraints", "may go to>", "best", "Filter>", "Score>", "Evaluate>");
        for (Spread spread : Spread.values()) {
            Workload workload = Workloads.largest(generator, spread);
            if (workload != null) {
                row(table, workload);
            }
        }
        return table;
    }

    private void row(Table table, Workload workload) {
        Query query = Query.of(workload.incomingPod()).among(CandidateNodes.enterable());
        Timing<ReadableAnswer> filter =
                Timing.of(CALLS, () -> only(client.filter(query.toFilter()).getAnswersList()));
        Timing<ReadableAnswer> score =
                Timing.of(CALLS, () -> only(client.score(query.toScore()).getAnswersList()));
        Timing<ReadableAnswer> evaluate =
                Timing.of(CALLS, () -> only(client.evaluate(query.toEvaluate()).getAnswersList()));
        ReadableAnswer answer = evaluate.answer();
        claims.equal(workload.name() + ": nodes passed", filter.answer().getPassedCount(), answer.getPassedCount());
        table.row(
                workload.namespace() + "/" + workload.name(),
                workload.spread().words(),
                answer.getPassedCount(),
                best(answer),
                Numbers.millis(filter.medianNanos()),
                Numbers.millis(score.medianNanos()),
                Numbers.millis(evaluate.medianNanos()));
    }

    private static String best(ReadableAnswer answer) {
        if (answer.getBestCount() == 0) {
            return "-";
        }
        String name = answer.getBest(0).getName();
        return answer.getSoftConstraintCount() > 0
                ? name + " (" + answer.getBest(0).getScore() + ")"
                : name;
    }

    private static ReadableAnswer only(List<PodAnswer> answers) {
        PodAnswer answer = answers.get(0);
        if (answer.hasError()) {
            throw PlacementException.of(answer.getError());
        }
        return answer.getReadable();
    }
}
