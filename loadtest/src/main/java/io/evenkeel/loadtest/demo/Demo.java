package io.evenkeel.loadtest.demo;

import io.evenkeel.cli.ExplainText;
import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.ClusterObjects;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.client.SnapshotResult;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.loadtest.text.Table;
import io.evenkeel.loadtest.text.Timing;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.ReadableAnswer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Feeds a generated cluster to a server, shows the server's answers, and checks those whose result can be recounted.
 */
final class Demo {
    private static final int CALLS = 100;
    private static final int BATCHES = 20;
    private static final int MAX_PODS_PER_CALL = 1_000;
    private static final int ROWS = 6;
    private static final int PLACED = 6;
    private static final int DELETED = 10;

    private final ClusterGenerator generator;
    private final PlacementClient client;
    private final Screen screen;
    private final Claims claims;

    Demo(ClusterGenerator generator, PlacementClient client, Screen screen, Claims claims) {
        this.generator = generator;
        this.client = client.readingOwnWrites();
        this.screen = screen;
        this.claims = claims;
    }

    void show() {
        feed();
        Workload workload = largest(Spread.HARD_ZONE);
        if (workload != null) {
            ask();
            askAboutAll();
            explain(workload);
            change(workload);
        }
    }

    private void feed() {
        screen.heading("1. A generated cluster is sent through Sync (seed "
                + generator.shape().seed() + ")");
        screen.line("  " + generator.words());
        long start = System.nanoTime();
        SnapshotResult result = ClusterFill.send(generator, client, screen);
        long nanos = System.nanoTime() - start;
        GetStatusResponse status = client.status();
        screen.line("  %s objects in %s, generated and sent in this process; %s pods counted"
                .formatted(
                        Numbers.grouped(result.sent()),
                        Numbers.seconds(nanos),
                        Numbers.grouped(status.getCountedPodCount())));
        claims.equal("objects rejected", 0L, result.refused());
        claims.equal("nodes", (long) generator.shape().nodes(), status.getNodeCount());
        claims.equal("pods", (long) generator.shape().pods(), status.getPodCount());
    }

    /** Asks three questions about a new replica of one workload for each kind of constraints. */
    private void ask() {
        screen.heading("2. Which nodes can take another replica? (Filter, Score, Evaluate)");
        // The first table is not shown: it lets the JIT compiler warm up.
        questions();
        screen.table(questions());
        screen.paragraph("Times in ms: median of %d calls over gRPC, each for all %s nodes."
                .formatted(CALLS, Numbers.grouped(generator.shape().nodes())));
    }

    private Table questions() {
        Table table = new Table("replica of", "constraints", "may go to>", "best", "Filter>", "Score>", "Evaluate>");
        for (Spread spread : Spread.values()) {
            Workload workload = largest(spread);
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

    private static ReadableAnswer only(List<PodAnswer> answers) {
        PodAnswer answer = answers.get(0);
        if (answer.hasError()) {
            throw PlacementException.of(answer.getError());
        }
        return answer.getReadable();
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

    /** Asks about a new replica of every workload in one call, or about as many as one call can have. */
    private void askAboutAll() {
        List<Pod> pods = generator.workloads().stream()
                .limit(MAX_PODS_PER_CALL)
                .map(Workload::incomingPod)
                .toList();
        Query query = Query.of(pods).among(CandidateNodes.enterable()).best(1);
        Timing<EvaluateResponse> timing = Timing.of(BATCHES, () -> client.evaluate(query.toEvaluate()));
        List<PodAnswer> answers = timing.answer().getAnswersList();
        claims.equal("answers", pods.size(), answers.size());
        answers.forEach(
                answer -> claims.equal("a pod's answer", PodAnswer.ResultCase.READABLE, answer.getResultCase()));
        screen.paragraph(
                "One call for a replica of each of %s workloads: %s ms, or %s us a pod. %s of them fit on a node."
                        .formatted(
                                Numbers.grouped(pods.size()),
                                Numbers.millis(timing.medianNanos()),
                                Numbers.grouped(timing.medianNanos() / pods.size() / 1000),
                                Numbers.grouped(answers.stream()
                                        .filter(answer -> answer.getReadable().getPassedCount() > 0)
                                        .count())));
    }

    private void explain(Workload workload) {
        screen.heading("3. Why there? (Explain, for " + workload.namespace() + "/" + workload.name() + ")");
        ExplainRequest request = ExplainRequest.newBuilder()
                .setPod(workload.incomingPod())
                .setMaxVerdicts(generator.shape().nodes())
                .build();
        screen.line(new ExplainText(ROWS).explain(client.explain(request)).stripTrailing());
        claims.equal("pods by zone", recounted(workload), counts(zones(workload)));
    }

    /** Places some replicas and deletes others, and compares the counts of each zone with a recount. */
    private void change(Workload workload) {
        screen.heading("4. Pods come and go, and counts follow without a recount");
        List<DomainExplanation> before = zones(workload);
        Map<String, Long> expected = recounted(workload);
        List<Long> nanos = new ArrayList<>();
        place(workload, expected, nanos);
        List<DomainExplanation> then = zones(workload);
        claims.equal("pods by zone after placements", expected, counts(then));

        String fullest = then.stream()
                .max(Comparator.comparingLong(DomainExplanation::getMatchingPodCount))
                .orElseThrow()
                .getValue();
        List<ClusterEvent> deletions = countedPods(workload).stream()
                .filter(pod -> zoneOf(pod).equals(fullest))
                .limit(DELETED)
                .map(pod -> ClusterObjects.deleted(ClusterObjects.of(pod)))
                .toList();
        client.apply(ApplyRequest.newBuilder().addAllEvents(deletions).build());
        expected.merge(fullest, (long) -deletions.size(), Long::sum);
        List<DomainExplanation> after = zones(workload);
        claims.equal("pods by zone after deletions", expected, counts(after));

        Table table = new Table(
                "zone",
                "pods>",
                "another?",
                nanos.size() + " placed>",
                "another?",
                deletions.size() + " of " + fullest + " deleted>",
                "another?");
        for (int zone = 0; zone < before.size(); zone++) {
            List<Object> cells = new ArrayList<>(List.of(before.get(zone).getValue()));
            for (List<DomainExplanation> zones : List.of(before, then, after)) {
                cells.add(zones.get(zone).getMatchingPodCount());
                cells.add((zones.get(zone).getAdmitted() ? "yes" : "no") + ", skew "
                        + zones.get(zone).getResultingSkew());
            }
            table.row(cells.toArray());
        }
        screen.table(table);
        nanos.sort(null);
        screen.paragraph(
                "maxSkew 1. Each pod went to the node that Evaluate ranked best and was counted (Apply) before the next: median %s ms for both."
                        .formatted(Numbers.millis(nanos.isEmpty() ? 0 : nanos.get(nanos.size() / 2))));
    }

    /** Places replicas one after another until none fits, adds them to {@code expected}, and their times to a list. */
    private void place(Workload workload, Map<String, Long> expected, List<Long> nanos) {
        Pod replica = workload.incomingPod();
        Query query = Query.of(replica).among(CandidateNodes.enterable()).best(1);
        for (int i = 0; i < PLACED; i++) {
            long start = System.nanoTime();
            ReadableAnswer answer = only(client.evaluate(query.toEvaluate()).getAnswersList());
            if (answer.getBestCount() == 0) {
                return;
            }
            Pod.Builder bound = replica.toBuilder();
            bound.getMetadataBuilder()
                    .setName(replica.getMetadata().getName() + "-" + i)
                    .setUid(replica.getMetadata().getUid() + "-" + i);
            bound.getSpecBuilder().setNodeName(answer.getBest(0).getName());
            client.apply(ApplyRequest.newBuilder()
                    .addEvents(ClusterObjects.added(ClusterObjects.of(bound.build())))
                    .build());
            nanos.add(System.nanoTime() - start);
            expected.merge(zoneOf(bound.build()), 1L, Long::sum);
        }
    }

    /** The zones of the workload's constraint, by name. */
    private List<DomainExplanation> zones(Workload workload) {
        ExplainRequest request = ExplainRequest.newBuilder()
                .setPod(workload.incomingPod())
                .setMaxVerdicts(1)
                .build();
        return client.explain(request).getConstraints(0).getDomainsList().stream()
                .sorted(Comparator.comparing(DomainExplanation::getValue))
                .toList();
    }

    private static Map<String, Long> counts(List<DomainExplanation> zones) {
        Map<String, Long> counts = new TreeMap<>();
        zones.forEach(zone -> counts.put(zone.getValue(), zone.getMatchingPodCount()));
        return counts;
    }

    /** The counted pods by zone, from the generated pods themselves. */
    private Map<String, Long> recounted(Workload workload) {
        Map<String, Long> counts = counts(zones(workload));
        counts.replaceAll((zone, count) -> 0L);
        countedPods(workload).forEach(pod -> counts.merge(zoneOf(pod), 1L, Long::sum));
        return counts;
    }

    /** The generated pods that a constraint counts, which are those that are not terminating. */
    private List<Pod> countedPods(Workload workload) {
        return IntStream.range(workload.firstPod(), workload.firstPod() + workload.pods())
                .mapToObj(generator::pod)
                .filter(pod -> !pod.getMetadata().hasDeletionTimestamp())
                .toList();
    }

    private String zoneOf(Pod pod) {
        return generator.zoneOf(pod.getSpec().getNodeName());
    }

    /** The workload with {@code spread} that has the most pods, or null if there is none. */
    private @Nullable Workload largest(Spread spread) {
        return generator.workloads().stream()
                .filter(workload -> workload.spread() == spread)
                .max(Comparator.comparingInt(Workload::pods))
                .orElse(null);
    }
}
