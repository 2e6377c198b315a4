package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.soft;

import com.google.protobuf.StringValue;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.PodDisruptionBudgetSpec;
import io.evenkeel.v1.PodDisruptionBudgetStatus;
import io.evenkeel.v1.TopologySpreadConstraint;
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
import org.jspecify.annotations.Nullable;

/**
 * A small random cluster, whose constraints are judged by counting all pods again. All nodes have a zone and room for
 * some pods.
 */
final class CountedCluster {
    static final String REVISION = "pod-template-hash";

    private static final List<String> ZONES = List.of("a", "b", "c");

    final Map<String, String> zones = new LinkedHashMap<>();
    final Map<String, Integer> rooms = new HashMap<>();
    final Map<String, Pod> pods = new HashMap<>();
    final Map<String, String> nodeOf = new HashMap<>();
    final List<PodDisruptionBudget> budgets = new ArrayList<>();

    /** Whether soft constraints count as well. */
    boolean withSoft;

    /** Three to six nodes with little room, and three to five workloads with hard constraints. */
    static CountedCluster withLittleRoom(Random random) {
        CountedCluster cluster = new CountedCluster();
        int nodes = 3 + random.nextInt(4);
        List<String> free = cluster.addNodes(nodes, random);
        int workloads = 3 + random.nextInt(3);
        int left = free.size() - random.nextInt(2);
        for (int workload = 0; workload < workloads && left > 0; workload++) {
            Pod.Builder template = cluster.template("w" + workload, random);
            int replicas = Math.min(left, 1 + random.nextInt(5));
            left -= replicas;
            boolean isPacked = random.nextBoolean();
            for (int i = 0; i < replicas; i++) {
                String at = free.remove(isPacked ? 0 : random.nextInt(free.size()));
                cluster.add(template, "w" + workload + "-" + i, at);
            }
        }
        return cluster;
    }

    /**
     * Three to five nodes, and two workloads of three to six pods in all, with everything that constraints can have.
     */
    static CountedCluster tiny(Random random) {
        CountedCluster cluster = new CountedCluster();
        cluster.withSoft = random.nextInt(3) == 0;
        List<String> free = cluster.addNodes(3 + random.nextInt(3), random);
        if (random.nextInt(3) == 0) {
            cluster.rooms.replaceAll((node, room) -> 9);
            cluster.zones.keySet().forEach(node -> free.addAll(Collections.nCopies(6, node)));
        }
        int pods = Math.min(free.size(), 3 + random.nextInt(4));
        int ofFirst = 1 + random.nextInt(pods - 1);
        for (int workload = 0; workload < 2; workload++) {
            Pod.Builder template = cluster.template("w" + workload, random);
            boolean isRollingOut = random.nextInt(3) == 0;
            boolean isPacked = random.nextBoolean();
            for (TopologySpreadConstraint.Builder constraint :
                    template.getSpecBuilder().getTopologySpreadConstraintsBuilderList()) {
                if (cluster.withSoft && random.nextBoolean()) {
                    constraint
                            .setWhenUnsatisfiable(soft(ZONE).getWhenUnsatisfiable())
                            .clearMinDomains();
                }
                if (random.nextInt(5) == 0) {
                    // Counts only the pods of the other workload.
                    constraint.setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "w" + (1 - workload)));
                }
                if (isRollingOut && random.nextInt(3) > 0) {
                    constraint.addMatchLabelKeys(REVISION);
                }
            }
            for (int i = 0; i < (workload == 0 ? ofFirst : pods - ofFirst); i++) {
                String revision = isRollingOut && random.nextBoolean() ? "2" : "1";
                template.getMetadataBuilder()
                        .putLabels(REVISION, revision)
                        .getOwnerReferencesBuilder(0)
                        .setName("w" + workload + "-" + revision);
                String at = free.remove(isPacked ? 0 : random.nextInt(free.size()));
                cluster.add(template, "w" + workload + "-" + i, at);
            }
            if (random.nextInt(6) == 0) {
                cluster.addBudget("w" + workload, random.nextInt(2));
            }
        }
        return cluster;
    }

    /** Adds nodes; returns each as often as it has room for a pod. */
    private List<String> addNodes(int nodes, Random random) {
        List<String> free = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            int room = 1 + random.nextInt(3);
            zones.put("n" + i, ZONES.get(random.nextInt(2 + random.nextInt(2))));
            rooms.put("n" + i, room);
            for (int j = 0; j < room; j++) {
                free.add("n" + i);
            }
        }
        return free;
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
                TopologySpreadConstraint.Builder constraint =
                        hard(key).toBuilder().setMaxSkew(1 + random.nextInt(2)).setLabelSelector(selector);
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

    private void addBudget(String workload, int allowed) {
        budgets.add(PodDisruptionBudget.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setName(workload)
                        .setUid("budget " + workload))
                .setSpec(PodDisruptionBudgetSpec.newBuilder()
                        .setSelector(LabelSelector.newBuilder().putMatchLabels("app", workload)))
                .setStatus(PodDisruptionBudgetStatus.newBuilder().setDisruptionsAllowed(allowed))
                .build());
    }

    List<ClusterObject> objects() {
        List<ClusterObject> objects = new ArrayList<>();
        zones.forEach((name, zone) -> objects.add(object(node(name, zone).toBuilder()
                .setStatus(
                        NodeStatus.newBuilder().putAllocatable("pods", StringValue.of(String.valueOf(rooms.get(name)))))
                .build())));
        pods.values().forEach(each -> objects.add(object(each)));
        budgets.forEach(each -> objects.add(
                ClusterObject.newBuilder().setPodDisruptionBudget(each).build()));
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
                .filter(CountedCluster::isHard)
                .map(constraint -> effective(constraint, judged))
                .allMatch(constraint -> isSatisfied(constraint, judged, at));
    }

    private boolean isSatisfied(TopologySpreadConstraint constraint, Pod judged, String at) {
        Map<String, Integer> counts = counts(constraint, other -> !other.equals(judged));
        int self = isCounted(constraint, judged) ? 1 : 0;
        return Objects.requireNonNull(counts.get(domain(constraint, at))) + self - minimum(constraint, counts)
                <= constraint.getMaxSkew();
    }

    static boolean isHard(TopologySpreadConstraint constraint) {
        return constraint.getWhenUnsatisfiable().equals(hard(ZONE).getWhenUnsatisfiable());
    }

    /** A constraint as it is for a pod, whose values of the label keys its selector asks for. */
    static TopologySpreadConstraint effective(TopologySpreadConstraint constraint, Pod of) {
        TopologySpreadConstraint.Builder effective = constraint.toBuilder().clearMatchLabelKeys();
        for (String key : constraint.getMatchLabelKeysList()) {
            effective
                    .getLabelSelectorBuilder()
                    .putMatchLabels(key, of.getMetadata().getLabelsOrThrow(key));
        }
        return effective.build();
    }

    /** The constraints of a pod that are to be satisfied. */
    List<TopologySpreadConstraint> constraintsOf(Pod pod) {
        return pod.getSpec().getTopologySpreadConstraintsList().stream()
                .filter(constraint -> withSoft || isHard(constraint))
                .map(constraint -> effective(constraint, pod))
                .toList();
    }

    /** The constraints, of any pods, that no domain exceeds. */
    Set<TopologySpreadConstraint> satisfied() {
        Set<TopologySpreadConstraint> satisfied = constraints();
        satisfied.removeIf(constraint -> excess(constraint) > 0);
        return satisfied;
    }

    private Set<TopologySpreadConstraint> constraints() {
        Set<TopologySpreadConstraint> constraints = new HashSet<>();
        pods.values().forEach(each -> constraints.addAll(constraintsOf(each)));
        return constraints;
    }

    /** By how much the skews of all constraints, of any pods, exceed maxSkew. */
    int excess() {
        return constraints().stream().mapToInt(this::excess).sum();
    }

    /**
     * A move that lowers the excess, is possible, and violates no constraint that is satisfied; null if there is none.
     */
    @Nullable
    String missedMove() {
        Set<TopologySpreadConstraint> satisfied = satisfied();
        int excess = excess();
        for (Pod pod : pods.values()) {
            String name = pod.getMetadata().getName();
            String at = Objects.requireNonNull(nodeOf.get(name));
            // A pod that has moved is not moved again.
            boolean mayMove = at.equals(pod.getSpec().getNodeName()) && isKnown(pod) && !mustStay(pod);
            for (String node : mayMove ? zones.keySet() : Set.<String>of()) {
                nodeOf.put(name, node);
                boolean isMissed =
                        excess() < excess && isAdmitted(name) && satisfied().containsAll(satisfied);
                nodeOf.put(name, at);
                if (isMissed) {
                    return name + " to " + node;
                }
            }
        }
        return null;
    }

    /** By how much the skew of a constraint exceeds maxSkew. */
    int excess(TopologySpreadConstraint constraint) {
        Map<String, Integer> counts = counts(constraint, each -> true);
        return Math.max(0, Collections.max(counts.values()) - minimum(constraint, counts) - constraint.getMaxSkew());
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

    /** Whether the workload of a pod has several pods or constraints. */
    boolean isKnown(Pod pod) {
        return pod.getSpec().getTopologySpreadConstraintsCount() > 0
                || pods.values().stream()
                                .filter(other -> app(other).equals(app(pod)))
                                .count()
                        > 1;
    }

    static String app(Pod pod) {
        return pod.getMetadata().getLabelsOrThrow("app");
    }

    /** Whether a disruption budget allows no eviction of a pod. */
    boolean mustStay(Pod pod) {
        return budgets.stream()
                .anyMatch(budget -> budget.getStatus().getDisruptionsAllowed() == 0
                        && pod.getMetadata()
                                .getLabelsMap()
                                .entrySet()
                                .containsAll(budget.getSpec()
                                        .getSelector()
                                        .getMatchLabelsMap()
                                        .entrySet()));
    }

    static boolean isCounted(TopologySpreadConstraint constraint, Pod pod) {
        Map<String, String> selected = constraint.getLabelSelector().getMatchLabelsMap();
        return pod.getMetadata().getLabelsMap().entrySet().containsAll(selected.entrySet());
    }

    private static int minimum(TopologySpreadConstraint constraint, Map<String, Integer> counts) {
        return counts.size() < constraint.getMinDomains() ? 0 : Collections.min(counts.values());
    }

    String domain(TopologySpreadConstraint constraint, String node) {
        return constraint.getTopologyKey().equals(ZONE) ? Objects.requireNonNull(zones.get(node)) : node;
    }

    List<String> domains(TopologySpreadConstraint constraint) {
        return zones.keySet().stream()
                .map(node -> domain(constraint, node))
                .distinct()
                .toList();
    }

    private int count(Predicate<String> node, Predicate<Pod> what) {
        return (int) pods.entrySet().stream()
                .filter(each -> node.test(nodeOf.get(each.getKey())) && what.test(each.getValue()))
                .count();
    }
}
