package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Carries out plans for random small clusters with little room, and judges each move and each chain of moves by
 * counting all pods again. None violates a constraint that was satisfied, unless the whole plan does.
 */
final class RebalanceChainPropertiesTest {
    private static final int FEW_CLUSTERS = 20;
    private static final int CLUSTERS = 150;
    private static final List<String> ZONES = List.of("a", "b", "c");

    /** What is known of the cluster: all nodes have a zone and room for some pods. */
    private static final class Model {
        final Map<String, String> zones = new LinkedHashMap<>();
        final Map<String, Integer> rooms = new HashMap<>();
        final Map<String, Pod> pods = new HashMap<>();
        final Map<String, String> nodeOf = new HashMap<>();

        static Model random(Random random) {
            Model model = new Model();
            int nodes = 3 + random.nextInt(4);
            List<String> free = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                int room = 1 + random.nextInt(3);
                model.zones.put("n" + i, ZONES.get(random.nextInt(2 + random.nextInt(2))));
                model.rooms.put("n" + i, room);
                for (int j = 0; j < room; j++) {
                    free.add("n" + i);
                }
            }
            int workloads = 3 + random.nextInt(3);
            int left = free.size() - random.nextInt(2);
            for (int workload = 0; workload < workloads && left > 0; workload++) {
                Pod.Builder template = model.template("w" + workload, random);
                int replicas = Math.min(left, 1 + random.nextInt(5));
                left -= replicas;
                boolean isPacked = random.nextBoolean();
                for (int i = 0; i < replicas; i++) {
                    String at = free.remove(isPacked ? 0 : random.nextInt(free.size()));
                    model.add(template, "w" + workload + "-" + i, at);
                }
            }
            return model;
        }

        private Pod.Builder template(String workload, Random random) {
            Pod.Builder template = pod(workload, "").toBuilder();
            template.getMetadataBuilder()
                    .clearLabels()
                    .putLabels("app", workload)
                    .putLabels("tier", random.nextInt(4) > 0 ? "front" : "back")
                    .addOwnerReferences(OwnerReference.newBuilder()
                            .setApiVersion("apps/v1")
                            .setKind("ReplicaSet")
                            .setName(workload)
                            .setController(true));
            for (String key : List.of(ZONE, HOSTNAME)) {
                if (random.nextInt(3) > 0) {
                    LabelSelector.Builder selector = LabelSelector.newBuilder();
                    if (random.nextInt(2) > 0) {
                        selector.putMatchLabels("app", workload);
                    } else {
                        selector.putMatchLabels(
                                "tier", template.getMetadataBuilder().getLabelsOrThrow("tier"));
                    }
                    TopologySpreadConstraint.Builder constraint = hard(key).toBuilder()
                            .setMaxSkew(1 + random.nextInt(2))
                            .setLabelSelector(selector);
                    if (random.nextInt(8) == 0) {
                        constraint.setMinDomains(4);
                    }
                    template.getSpecBuilder().addTopologySpreadConstraints(constraint);
                }
            }
            return template;
        }

        private void add(Pod.Builder template, String name, String at) {
            Pod.Builder added = template.clone();
            added.getMetadataBuilder().setName(name).setUid(name);
            added.getSpecBuilder().setNodeName(at);
            pods.put(name, added.build());
            nodeOf.put(name, at);
        }

        List<ClusterObject> objects() {
            List<ClusterObject> objects = new ArrayList<>();
            zones.forEach((name, zone) -> objects.add(object(node(name, zone).toBuilder()
                    .setStatus(NodeStatus.newBuilder()
                            .putAllocatable("pods", StringValue.of(String.valueOf(rooms.get(name)))))
                    .build())));
            pods.values().forEach(each -> objects.add(object(each)));
            return objects;
        }

        /** Whether the node of a pod would admit it if it were not there yet. */
        boolean isAdmitted(String name) {
            String at = Objects.requireNonNull(nodeOf.get(name));
            if (count(at::equals, other -> true) > Objects.requireNonNull(rooms.get(at))) {
                return false;
            }
            Pod judged = Objects.requireNonNull(pods.get(name));
            return judged.getSpec().getTopologySpreadConstraintsList().stream()
                    .allMatch(constraint -> isSatisfied(constraint, judged, at));
        }

        private boolean isSatisfied(TopologySpreadConstraint constraint, Pod judged, String at) {
            Map<String, Integer> counts = counts(constraint, other -> !other.equals(judged));
            int self = isCounted(constraint, judged) ? 1 : 0;
            return Objects.requireNonNull(counts.get(domain(constraint, at))) + self - minimum(constraint, counts)
                    <= constraint.getMaxSkew();
        }

        /** The constraints, of any pods, that no domain exceeds. */
        Set<TopologySpreadConstraint> satisfied() {
            Set<TopologySpreadConstraint> satisfied = new HashSet<>();
            pods.values().forEach(each -> satisfied.addAll(each.getSpec().getTopologySpreadConstraintsList()));
            satisfied.removeIf(constraint -> {
                Map<String, Integer> counts = counts(constraint, each -> true);
                return Collections.max(counts.values()) - minimum(constraint, counts) > constraint.getMaxSkew();
            });
            return satisfied;
        }

        private Map<String, Integer> counts(TopologySpreadConstraint constraint, Predicate<Pod> what) {
            Map<String, Integer> counts = new HashMap<>();
            zones.keySet()
                    .forEach(node -> counts.merge(
                            domain(constraint, node),
                            count(node::equals, other -> what.test(other) && isCounted(constraint, other)),
                            Integer::sum));
            return counts;
        }

        private static boolean isCounted(TopologySpreadConstraint constraint, Pod pod) {
            Map<String, String> selected = constraint.getLabelSelector().getMatchLabelsMap();
            return pod.getMetadata().getLabelsMap().entrySet().containsAll(selected.entrySet());
        }

        private static int minimum(TopologySpreadConstraint constraint, Map<String, Integer> counts) {
            return counts.size() < constraint.getMinDomains() ? 0 : Collections.min(counts.values());
        }

        private String domain(TopologySpreadConstraint constraint, String node) {
            return constraint.getTopologyKey().equals(ZONE) ? Objects.requireNonNull(zones.get(node)) : node;
        }

        private int count(Predicate<String> node, Predicate<Pod> what) {
            return (int) pods.entrySet().stream()
                    .filter(each -> node.test(nodeOf.get(each.getKey())) && what.test(each.getValue()))
                    .count();
        }
    }

    /** What the plans had, so that the test cannot pass because there was nothing to judge. */
    private int chains;

    private int impossible;

    /** Moves that violate a constraint, until others are made. */
    private int violating;

    private void check(RebalanceResponse plan, Model model, String what) {
        Set<TopologySpreadConstraint> kept = satisfiedAfter(plan, model);
        int from = 0;
        while (from < plan.getMovesCount()) {
            int last = from;
            while (plan.getMoves(last).getTogetherWithNext()) {
                last++;
            }
            List<PodMove> chain = plan.getMovesList().subList(from, last + 1);
            Set<TopologySpreadConstraint> before = model.satisfied();
            before.retainAll(kept);
            for (PodMove move : chain) {
                String pod = move.getPod().getName();
                Set<TopologySpreadConstraint> satisfied = model.satisfied();
                satisfied.retainAll(kept);
                assertEquals(plan.getNodes(move.getFrom()), model.nodeOf.put(pod, plan.getNodes(move.getTo())), what);
                boolean violatesNone = model.satisfied().containsAll(satisfied);
                violating += violatesNone ? 0 : 1;
                assertEquals(
                        !move.getRejected(),
                        model.isAdmitted(pod) && violatesNone,
                        what + ", " + pod + " at its turn\n" + plan);
            }
            if (plan.getMoves(last).getRejected()) {
                assertEquals(1, chain.size(), what + ", a chain ends with a move that is impossible\n" + plan);
                impossible++;
                return;
            }
            chains += chain.size() > 1 ? 1 : 0;
            for (PodMove move : chain) {
                String pod = move.getPod().getName();
                assertTrue(model.isAdmitted(pod), what + ", " + pod + " at the end of its chain\n" + plan);
            }
            assertTrue(model.satisfied().containsAll(before), what + ", at the end of a chain\n" + plan);
            from = last + 1;
        }
    }

    /** The constraints that the whole plan satisfies. */
    private static Set<TopologySpreadConstraint> satisfiedAfter(RebalanceResponse plan, Model model) {
        Map<String, String> before = Map.copyOf(model.nodeOf);
        plan.getMovesList().forEach(move -> model.nodeOf.put(move.getPod().getName(), plan.getNodes(move.getTo())));
        Set<TopologySpreadConstraint> satisfied = model.satisfied();
        model.nodeOf.putAll(before);
        return satisfied;
    }

    @Test
    void podsOfAChain_areAllAdmitted_onceAllItsMovesAreMade() {
        play(0, FEW_CLUSTERS);
    }

    @Test
    @Tag("long")
    void podsOfAChain_areAllAdmitted_onceAllItsMovesAreMade_inMoreClusters() {
        play(FEW_CLUSTERS, CLUSTERS);
        assertTrue(impossible > 0);
        assertTrue(violating > 0);
    }

    private void play(int from, int end) {
        for (int seed = from; seed < end; seed++) {
            Model model = Model.random(new Random(seed));
            try (Instance instance = new Instance(InstanceOptions.standard())) {
                assertEquals(
                        List.of(),
                        instance.clusterState().apply(apply(model.objects())).getRefusalsList());
                check(plan(instance), model, "seed " + seed);
            }
        }
        assertTrue(chains > (end - from) / 20, "chains: " + chains);
    }

    private static RebalanceResponse plan(Instance instance) {
        FutureCall<RebalanceResponse> call = new FutureCall<>(Duration.ofSeconds(30));
        instance.placement().rebalance().handleMessage(RebalanceRequest.getDefaultInstance(), call);
        return call.join();
    }
}
