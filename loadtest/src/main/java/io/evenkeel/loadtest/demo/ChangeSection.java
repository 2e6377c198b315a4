package io.evenkeel.loadtest.demo;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.ClusterObjects;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.loadtest.text.Table;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Section 4 of the demo: shows how counts change as pods are added and deleted. */
final class ChangeSection {
    private static final int PLACED = 6;
    private static final int DELETED = 10;

    private final Screen screen;
    private final Claims claims;
    private final PlacementClient client;

    ChangeSection(Screen screen, Claims claims, PlacementClient client) {
        this.screen = screen;
        this.claims = claims;
        this.client = client.readingOwnWrites();
    }

    void show(ClusterGenerator generator) {
        Workload workload = Workloads.largest(generator, Spread.HARD_ZONE);
        if (workload == null) {
            return;
        }
        screen.heading("4. Pods come and go, and counts follow without a recount");
        List<DomainExplanation> before = zones(workload);

        List<Long> nanos = new ArrayList<>();
        Map<String, Long> expected = counts(before);
        int placed = place(generator, workload, expected, nanos);
        List<DomainExplanation> then = zones(workload);
        claims.equal("pods by zone after placements", expected, counts(then));

        String fullest = then.stream()
                .max(Comparator.comparingLong(DomainExplanation::getMatchingPodCount))
                .orElseThrow()
                .getValue();
        List<ClusterEvent> deletions = deletions(generator, workload, fullest);
        client.apply(ApplyRequest.newBuilder().addAllEvents(deletions).build());
        expected.merge(fullest, (long) -deletions.size(), Long::sum);
        List<DomainExplanation> after = zones(workload);
        claims.equal("pods by zone after deletions", expected, counts(after));

        Table table = new Table(
                "zone",
                "pods>",
                "another?",
                placed + " placed>",
                "another?",
                deletions.size() + " of " + fullest + " deleted>",
                "another?");
        for (int zone = 0; zone < before.size(); zone++) {
            table.row(
                    before.get(zone).getValue(),
                    before.get(zone).getMatchingPodCount(),
                    verdict(before.get(zone)),
                    then.get(zone).getMatchingPodCount(),
                    verdict(then.get(zone)),
                    after.get(zone).getMatchingPodCount(),
                    verdict(after.get(zone)));
        }
        screen.table(table);
        screen.paragraph(
                "%s/%s, %s, maxSkew 1. Each of the %d pods went to the node that Evaluate ranked best and was counted (Apply) before the next: median %s ms for both."
                        .formatted(
                                workload.namespace(),
                                workload.name(),
                                workload.spread().words(),
                                placed,
                                Numbers.millis(median(nanos))));
    }

    /** Places replicas one after another, and adds them to {@code expected}. Returns how many found a node. */
    private int place(ClusterGenerator generator, Workload workload, Map<String, Long> expected, List<Long> nanos) {
        Pod replica = workload.incomingPod();
        Query query = Query.of(replica).among(CandidateNodes.enterable()).best(1);
        for (int i = 0; i < PLACED; i++) {
            long start = System.nanoTime();
            List<NodeScore> best = client.evaluate(query.toEvaluate())
                    .getAnswers(0)
                    .getReadable()
                    .getBestList();
            if (best.isEmpty()) {
                return i;
            }
            String node = best.get(0).getName();
            client.apply(ApplyRequest.newBuilder()
                    .addEvents(ClusterObjects.added(ClusterObjects.of(bound(replica, node, i))))
                    .build());
            nanos.add(System.nanoTime() - start);
            expected.merge(generator.zoneOf(node), 1L, Long::sum);
        }
        return PLACED;
    }

    private static Pod bound(Pod replica, String node, int number) {
        Pod.Builder pod = replica.toBuilder();
        pod.getMetadataBuilder()
                .setName(replica.getMetadata().getName() + "-" + number)
                .setUid(replica.getMetadata().getUid() + "-" + number);
        pod.getSpecBuilder().setNodeName(node);
        return pod.build();
    }

    private static List<ClusterEvent> deletions(ClusterGenerator generator, Workload workload, String zone) {
        List<ClusterEvent> events = new ArrayList<>();
        for (int i = 0; i < workload.pods() && events.size() < DELETED; i++) {
            Pod pod = generator.pod(workload.firstPod() + i);
            boolean counted = !pod.getMetadata().hasDeletionTimestamp();
            if (counted && generator.zoneOf(pod.getSpec().getNodeName()).equals(zone)) {
                events.add(ClusterObjects.deleted(ClusterObjects.of(pod)));
            }
        }
        return events;
    }

    /** The zones of a workload's constraint, by name. */
    private List<DomainExplanation> zones(Workload workload) {
        ExplainRequest request = ExplainRequest.newBuilder()
                .setPod(workload.incomingPod())
                .setMaxVerdicts(1)
                .build();
        return Explanations.sorted(client.explain(request).getConstraints(0));
    }

    private static Map<String, Long> counts(List<DomainExplanation> zones) {
        Map<String, Long> counts = new TreeMap<>();
        for (DomainExplanation zone : zones) {
            counts.put(zone.getValue(), zone.getMatchingPodCount());
        }
        return counts;
    }

    private static String verdict(DomainExplanation zone) {
        return (zone.getAdmitted() ? "yes" : "no") + ", skew " + zone.getResultingSkew();
    }

    private static long median(List<Long> nanos) {
        return nanos.isEmpty()
                ? 0
                : nanos.stream().sorted().skip(nanos.size() / 2).findFirst().orElseThrow();
    }
}
