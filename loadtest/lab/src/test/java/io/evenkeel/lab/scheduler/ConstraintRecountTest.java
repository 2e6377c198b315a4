package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Labels;
import io.evenkeel.loadtest.cluster.Replicas;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.local.LocalEngine;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.Taint;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class ConstraintRecountTest {
    /** Zones a, a, b, and a node without a zone. */
    private static final List<Node> NODES = List.of(node("a1", "a"), node("a2", "a"), node("b1", "b"), node("x", ""));

    private static Node node(String name, String zone) {
        Node.Builder node = Node.newBuilder();
        node.getMetadataBuilder().setName(name).putLabels(Labels.HOSTNAME, name);
        if (!zone.isEmpty()) {
            node.getMetadataBuilder().putLabels(Labels.ZONE, zone);
        }
        return node.build();
    }

    private static TopologySpreadConstraint constraint(String key, String whenUnsatisfiable) {
        return TopologySpreadConstraint.newBuilder()
                .setMaxSkew(1)
                .setTopologyKey(key)
                .setWhenUnsatisfiable(whenUnsatisfiable)
                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"))
                .build();
    }

    private static Pod pod(String name, String node, TopologySpreadConstraint... constraints) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace("shop")
                        .setName(name)
                        .putLabels("app", "web"))
                .setSpec(PodSpec.newBuilder().setNodeName(node).addAllTopologySpreadConstraints(List.of(constraints)))
                .build();
    }

    private static ConstraintRecount recount(List<Pod> pods, String... keys) {
        return ConstraintRecount.of(NODES, pods, Set.of(keys));
    }

    @Test
    void domainThatAPodWasBoundTo_isViolated_ifItHoldsMoreThanMaxSkewAboveTheLeast() {
        TopologySpreadConstraint zone = constraint(Labels.ZONE, "DoNotSchedule");
        List<Pod> pods = new ArrayList<>(List.of(pod("1", "a1", zone)));
        assertEquals(List.of(), recount(pods, "shop/1").violated());
        pods.add(pod("2", "a2", zone));
        assertEquals(
                List.of("shop/web " + Labels.ZONE + ": 2 in 'a', minimum 0, maxSkew 1"),
                recount(pods, "shop/1", "shop/2").violated());
        pods.add(pod("3", "b1", zone));
        assertEquals(List.of(), recount(pods, "shop/1", "shop/2", "shop/3").violated());
    }

    @Test
    void domainsThatNoPodWasBoundTo_mayHoldMore() {
        TopologySpreadConstraint zone = constraint(Labels.ZONE, "DoNotSchedule");
        List<Pod> pods = List.of(pod("old-1", "a1"), pod("old-2", "a1"), pod("old-3", "a1"), pod("1", "b1", zone));
        assertEquals(List.of(), recount(pods, "shop/1").violated());
    }

    @Test
    void nodeWithoutTheKey_isViolated() {
        ConstraintRecount recount = recount(List.of(pod("1", "x", constraint(Labels.ZONE, "DoNotSchedule"))), "shop/1");
        assertEquals(1, recount.violated().size());
    }

    @Test
    void podsThatTerminate_orAreElsewhere_areNotCounted() {
        TopologySpreadConstraint zone = constraint(Labels.ZONE, "DoNotSchedule");
        Pod.Builder ends = pod("2", "a1").toBuilder();
        ends.getMetadataBuilder().getDeletionTimestampBuilder().setSeconds(1);
        Pod.Builder elsewhere = pod("3", "a1").toBuilder();
        elsewhere.getMetadataBuilder().setNamespace("other");
        Pod.Builder other = pod("4", "a1").toBuilder();
        other.getMetadataBuilder().putLabels("app", "other");
        List<Pod> pods = List.of(pod("1", "a1", zone), ends.build(), elsewhere.build(), other.build(), pod("5", "x"));
        assertEquals(List.of(), recount(pods, "shop/1").violated());
    }

    @Test
    void taints_areHonoured_ifTheConstraintSaysSo() {
        TopologySpreadConstraint zone = constraint(Labels.ZONE, "DoNotSchedule");
        Node.Builder tainted = node("c1", "c").toBuilder();
        tainted.getSpecBuilder()
                .addTaints(Taint.newBuilder().setKey("dedicated").setEffect("NoSchedule"));
        List<Node> nodes = new ArrayList<>(NODES);
        nodes.add(tainted.build());
        for (Map.Entry<String, Integer> policy : Map.of("Ignore", 1, "Honor", 0).entrySet()) {
            TopologySpreadConstraint asked =
                    zone.toBuilder().setNodeTaintsPolicy(policy.getKey()).build();
            List<Pod> pods =
                    List.of(pod("1", "a1", asked), pod("2", "a1", asked), pod("3", "b1", asked), pod("4", "b1", asked));
            Set<String> keys = Set.of("shop/1", "shop/2");
            assertEquals(
                    policy.getValue(),
                    ConstraintRecount.of(nodes, pods, keys).violated().size(),
                    policy::getKey);
        }
    }

    @Test
    void softSkews_areBeyondOthers_byMoreThanMaxSkew() {
        TopologySpreadConstraint zone = constraint(Labels.ZONE, "ScheduleAnyway");
        ConstraintRecount even = recount(List.of(pod("1", "a1", zone), pod("2", "b1", zone)), "shop/1", "shop/2");
        ConstraintRecount one = recount(List.of(pod("1", "a1", zone), pod("2", "x", zone)), "shop/1", "shop/2");
        ConstraintRecount two = recount(List.of(pod("1", "a1", zone), pod("2", "a2", zone)), "shop/1", "shop/2");
        assertEquals(List.of(), even.violated());
        assertEquals(List.of(), one.beyond(even));
        assertEquals(List.of("shop/web " + Labels.ZONE + ": 2 vs 0"), two.beyond(even));
        assertEquals(List.of(), even.beyond(two));
    }

    @Test
    void podsWithAnOwner_haveTheSystemDefaults() {
        Pod.Builder owned = pod("1", "a1").toBuilder();
        owned.getMetadataBuilder()
                .putLabels("pod-template-hash", "h")
                .addOwnerReferences(OwnerReference.newBuilder().setKind("ReplicaSet"));
        assertEquals(
                Map.of(
                        "shop/web " + Labels.HOSTNAME, new ConstraintRecount.SoftSkew(1, 3),
                        "shop/web " + Labels.ZONE, new ConstraintRecount.SoftSkew(1, 5)),
                recount(List.of(owned.build()), "shop/1").softSkews());
    }

    @Test
    void whatItDoesNotKnow_isRefused() {
        TopologySpreadConstraint atLeast = constraint(Labels.ZONE, "DoNotSchedule").toBuilder()
                .setMinDomains(2)
                .build();
        assertThrows(IllegalArgumentException.class, () -> recount(List.of(pod("1", "a1", atLeast)), "shop/1"));
    }

    /** The engine and the recount share no code: if the engine places pods, the recount finds no violations. */
    @Test
    void podsThatGoIfTheEngineSays_violateNothing_andOneThatDoesNotIsFound() {
        ClusterGenerator cluster =
                new ClusterGenerator(ClusterShape.of(1, 400, 4_000).withSizes(WorkloadSizes.SMALL));
        List<Node> nodes = new ArrayList<>();
        List<Pod> pods = new ArrayList<>();
        for (var objects = cluster.objects(); objects.hasNext(); ) {
            ClusterObject object = objects.next();
            if (object.hasNode()) {
                nodes.add(object.getNode());
            } else if (object.hasPod()) {
                pods.add(object.getPod());
            }
        }
        for (Spread shape : List.of(Spread.HARD_ZONE_HARD_HOSTNAME, Spread.FIVE_CONSTRAINTS)) {
            Pod template = shape.in(cluster);
            try (LocalEngine engine = LocalEngine.holding(cluster);
                    PlacedPods placed = new PlacedPods(engine)) {
                List<Pod> all = new ArrayList<>(pods);
                for (int i = 0; i < 10; i++) {
                    all.add(placed.place(Replicas.of(template, i)));
                }
                Set<String> keys = all.subList(pods.size(), all.size()).stream()
                        .map(RacePods::key)
                        .collect(Collectors.toSet());
                assertEquals(List.of(), ConstraintRecount.of(nodes, all, keys).violated(), shape::words);
                Pod last = all.get(all.size() - 1);
                for (int i = 90; i < 93; i++) {
                    all.add(Replicas.of(last, i));
                }
                assertFalse(ConstraintRecount.of(nodes, all, keys).violated().isEmpty(), shape::words);
            }
        }
    }
}
