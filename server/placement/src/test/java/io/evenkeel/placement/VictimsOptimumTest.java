package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.constraint;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ConstraintSpread;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RankVictimsResponse;
import io.evenkeel.v1.RankedVictim;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.evenkeel.v1.WorkloadReference;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares victims with the best orders of deletions of small random clusters, which an integer program has found. The
 * measure of a step is the sum over the constraints of the skew, plus 1000 times what is above maxSkew; the best order
 * has the least measure after the first deletion, then after the second, and so on.
 *
 * <p>A line of {@code optimum.tsv}: a number; the zone of each node; the constraints, as {@code zone:1:hard:1} for
 * maxSkew 1 and minDomains 1; the node of each pod of the ReplicaSet; the node of each other pod that the constraints
 * count; the measures of the best order.
 */
final class VictimsOptimumTest {
    @Test
    void ordersOfDeletions_areTheBest() throws IOException {
        List<String> worse = new ArrayList<>();
        int orders = 0;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(VictimsOptimumTest.class.getResourceAsStream("/victims/optimum.tsv")),
                StandardCharsets.UTF_8))) {
            for (String line :
                    lines.lines().filter(each -> !each.startsWith("#")).toList()) {
                String[] fields = line.split("\t", -1);
                List<Long> best = numbers(fields[5]).map(Long::valueOf).toList();
                List<Long> given = measures(fields, best.size());
                orders++;
                if (!given.equals(best)) {
                    worse.add(fields[0] + ": " + given + " instead of " + best);
                }
            }
        }
        assertEquals(200, orders);
        assertEquals(List.of(), worse);
    }

    private static Stream<String> numbers(String field) {
        return field.isEmpty() ? Stream.of() : Arrays.stream(field.split(" "));
    }

    /** The measures after each deletion of a victim. */
    private static List<Long> measures(String[] fields, int count) {
        List<TopologySpreadConstraint> constraints =
                numbers(fields[2]).map(VictimsOptimumTest::read).toList();
        List<ClusterObject> objects = new ArrayList<>();
        numbers(fields[1])
                .forEach(zone -> objects.add(
                        object(node("n" + objects.size(), Map.of(ZONE, "z" + zone, HOSTNAME, "n" + objects.size())))));
        numbers(fields[3]).forEach(on -> objects.add(object(replica("web-" + objects.size(), on, constraints))));
        numbers(fields[4]).forEach(on -> objects.add(object(pod("other-" + objects.size(), "n" + on))));
        try (Instance instance = new Instance(InstanceOptions.standard())) {
            instance.clusterState().apply(apply(objects));
            FutureCall<RankVictimsResponse> call = new FutureCall<>(Duration.ofSeconds(30));
            instance.placement()
                    .rankVictims()
                    .handleMessage(
                            RankVictimsRequest.newBuilder()
                                    .setWorkload(WorkloadReference.newBuilder()
                                            .setNamespace(NAMESPACE)
                                            .setKind("ReplicaSet")
                                            .setName("web"))
                                    .setCount(count)
                                    .build(),
                            call);
            RankVictimsResponse response = call.join();
            return response.getVictimsList().stream()
                    .map(victim -> measure(response.getConstraintsList(), victim))
                    .toList();
        }
    }

    private static long measure(List<ConstraintSpread> constraints, RankedVictim victim) {
        long measure = 0;
        for (int i = 0; i < constraints.size(); i++) {
            long skew = victim.getSkews(i);
            measure += skew + 1_000 * Math.max(0, skew - constraints.get(i).getMaxSkew());
        }
        return measure;
    }

    private static TopologySpreadConstraint read(String text) {
        String[] parts = text.split(":", -1);
        TopologySpreadConstraint.Builder read = constraint(
                parts[0].equals("zone") ? ZONE : HOSTNAME,
                Integer.parseInt(parts[1]),
                parts[2].equals("hard") ? "DoNotSchedule" : "ScheduleAnyway")
                .toBuilder();
        if (!parts[3].equals("1")) {
            read.setMinDomains(Integer.parseInt(parts[3]));
        }
        return read.build();
    }

    private static Pod replica(String name, String node, List<TopologySpreadConstraint> constraints) {
        Pod.Builder pod = pod(name, "n" + node).toBuilder();
        pod.getMetadataBuilder()
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("apps/v1")
                        .setKind("ReplicaSet")
                        .setName("web")
                        .setController(true));
        pod.getSpecBuilder().addAllTopologySpreadConstraints(constraints);
        return pod.build();
    }
}
