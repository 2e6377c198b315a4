package io.evenkeel.loadtest.demo;

import io.evenkeel.cli.ExplainText;
import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.ClusterObjects;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.ReadableAnswer;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
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
    private static final int ROWS = 6;
    private static final int PLACED = 6;
    private static final int DELETED = 10;

    private final ClusterGenerator generator;
    private final PlacementClient client;
    private final PrintWriter out;
    private int claims;
    private int broken;

    Demo(ClusterGenerator generator, PlacementClient client, PrintWriter out) {
        this.generator = generator;
        this.client = client.readingOwnWrites();
        this.out = out;
    }

    /** Returns whether every answer is as expected. */
    boolean show() {
        feed();
        Workload workload = largest(Spread.HARD_ZONE);
        if (workload != null) {
            ask();
            explain(workload);
            change(workload);
        }
        out.println();
        out.println(
                broken == 0
                        ? "All " + claims + " claims about these answers hold."
                        : broken + " of " + claims + " claims about these answers DO NOT HOLD.");
        return broken == 0;
    }

    private void claim(String what, Object expected, Object got) {
        claims++;
        if (!expected.equals(got)) {
            broken++;
            out.println("  WRONG: " + what + " must be " + expected + ", was " + got);
        }
    }

    private void heading(String text) {
        out.println();
        out.println(text);
    }

    private void feed() {
        heading("1. A generated cluster is sent through Sync (seed "
                + generator.shape().seed() + ")");
        out.println("  " + generator.words());
        long start = System.nanoTime();
        ClusterFill.send(generator.objects(), client);
        long nanos = System.nanoTime() - start;
        GetStatusResponse status = client.status();
        out.println("  %s objects in %s, generated and sent in this process; %s pods counted"
                .formatted(
                        Numbers.grouped(generator.objectCount()),
                        Numbers.seconds(nanos),
                        Numbers.grouped(status.getCountedPodCount())));
        claim("nodes", (long) generator.shape().nodes(), status.getNodeCount());
        claim("pods", (long) generator.shape().pods(), status.getPodCount());
    }

    /** Asks about a new replica of one workload for each kind of constraints. */
    private void ask() {
        heading("2. Which nodes can take another replica? (Evaluate)");
        // The first table is not shown: it lets the JIT compiler warm up.
        answers();
        answers().print(out);
        out.println("  Times in ms: median of %d calls over gRPC, each for all %s nodes."
                .formatted(CALLS, Numbers.grouped(generator.shape().nodes())));
    }

    private Table answers() {
        Table table = new Table("replica of", "constraints", "may go to>", "best", "ms>");
        for (Spread spread : Spread.OF_WORKLOADS) {
            Workload workload = largest(spread);
            if (workload != null) {
                Query query = Query.of(workload.incomingPod()).among(CandidateNodes.enterable());
                long[] nanos = new long[CALLS];
                for (int i = 0; i < CALLS; i++) {
                    long start = System.nanoTime();
                    client.evaluate(query.toEvaluate());
                    nanos[i] = System.nanoTime() - start;
                }
                Arrays.sort(nanos);
                ReadableAnswer answer = only(client.evaluate(query.toEvaluate()).getAnswersList());
                claim(
                        workload.name() + ": nodes passed",
                        only(client.filter(query.toFilter()).getAnswersList()).getPassedCount(),
                        answer.getPassedCount());
                table.row(
                        workload.namespace() + "/" + workload.name(),
                        spread.words(),
                        answer.getPassedCount(),
                        best(answer),
                        Numbers.millis(nanos[CALLS / 2]));
            }
        }
        return table;
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

    private void explain(Workload workload) {
        heading("3. Why there? (Explain, for " + workload.namespace() + "/" + workload.name() + ")");
        ExplainRequest request = ExplainRequest.newBuilder()
                .setPod(workload.incomingPod())
                .setMaxVerdicts(generator.shape().nodes())
                .build();
        out.println(new ExplainText(ROWS).explain(client.explain(request)).stripTrailing());
        claim("pods by zone", recounted(workload), counts(zones(workload)));
    }

    /** Places some replicas and deletes others, and compares the counts of each zone with a recount. */
    private void change(Workload workload) {
        heading("4. Pods come and go, and counts follow without a recount");
        List<DomainExplanation> before = zones(workload);
        Map<String, Long> expected = recounted(workload);
        int placed = place(workload, expected);
        List<DomainExplanation> then = zones(workload);
        claim("pods by zone after placements", expected, counts(then));
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
        claim("pods by zone after deletions", expected, counts(after));
        Table table = new Table(
                "zone",
                "pods>",
                "another?",
                placed + " placed>",
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
        table.print(out);
        out.println("  maxSkew 1. Each pod went to the best node, and was counted (Apply) before the next.");
    }

    /** Places replicas one after another until none fits, and adds them to {@code expected}. Returns their number. */
    private int place(Workload workload, Map<String, Long> expected) {
        Pod replica = workload.incomingPod();
        Query query = Query.of(replica).among(CandidateNodes.enterable()).best(1);
        for (int i = 0; i < PLACED; i++) {
            ReadableAnswer answer = only(client.evaluate(query.toEvaluate()).getAnswersList());
            if (answer.getBestCount() == 0) {
                return i;
            }
            Pod.Builder bound = replica.toBuilder();
            bound.getMetadataBuilder()
                    .setName(replica.getMetadata().getName() + "-" + i)
                    .setUid(replica.getMetadata().getUid() + "-" + i);
            bound.getSpecBuilder().setNodeName(answer.getBest(0).getName());
            client.apply(ApplyRequest.newBuilder()
                    .addEvents(ClusterObjects.added(ClusterObjects.of(bound.build())))
                    .build());
            expected.merge(zoneOf(bound.build()), 1L, Long::sum);
        }
        return PLACED;
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
