package io.evenkeel.placement;

import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Taint;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A small cluster whose nodes are removed one after another. It counts again for each pod, by kube-scheduler's rules
 * for cpu, cordons, taints, node selectors and hard constraints.
 */
final class DrainedCluster {
    private static final Taint TO_BE_DELETED = Taint.newBuilder()
            .setKey("ToBeDeletedByClusterAutoscaler")
            .setEffect("NoSchedule")
            .build();

    private final Map<String, Node> nodes = new TreeMap<>();
    private final Map<String, Pod> pods = new TreeMap<>();

    DrainedCluster(List<Node> nodes, List<Pod> pods) {
        nodes.forEach(node -> this.nodes.put(node.getMetadata().getName(), node));
        pods.forEach(pod -> this.pods.put(pod.getMetadata().getName(), pod));
    }

    /** Takes all pods from a node, which is then gone or tainted. Returns those that must move, by name. */
    List<Pod> empty(String name, boolean goneAtOnce) {
        List<Pod> leaving = on(name).toList();
        leaving.forEach(pod -> pods.remove(pod.getMetadata().getName()));
        Node node = Objects.requireNonNull(nodes.remove(name));
        if (!goneAtOnce) {
            Node.Builder tainted = node.toBuilder();
            tainted.getSpecBuilder().addTaints(TO_BE_DELETED);
            nodes.put(name, tainted.build());
        }
        return leaving.stream()
                .filter(pod ->
                        !pod.getMetadata().getOwnerReferences(0).getKind().equals("DaemonSet"))
                .sorted(Comparator.comparing(pod -> pod.getMetadata().getName()))
                .toList();
    }

    void remove(String name) {
        nodes.remove(name);
    }

    /** Puts a pod on a node. Returns why it may not go there, or an empty text. */
    String place(Pod pod, String name) {
        Node node = nodes.get(name);
        if (node == null) {
            return "the node is gone";
        }
        String why = entryFault(pod, node) + spreadFault(pod, node);
        Pod.Builder placed = pod.toBuilder();
        placed.getSpecBuilder().setNodeName(name);
        pods.put(pod.getMetadata().getName(), placed.build());
        return why;
    }

    private Stream<Pod> on(String node) {
        return pods.values().stream().filter(pod -> pod.getSpec().getNodeName().equals(node));
    }

    private String entryFault(Pod pod, Node node) {
        if (node.getSpec().getUnschedulable()) {
            return "cordoned ";
        }
        if (!isSelected(pod, node)) {
            return "not selected ";
        }
        if (!isTolerated(pod, node)) {
            return "tainted ";
        }
        BigDecimal used =
                on(node.getMetadata().getName()).map(DrainedCluster::cpu).reduce(cpu(pod), BigDecimal::add);
        BigDecimal has = quantity(node.getStatus().getAllocatableOrThrow("cpu").getValue());
        return cpu(pod).signum() > 0 && used.compareTo(has) > 0 ? "too little cpu " : "";
    }

    private String spreadFault(Pod pod, Node node) {
        List<TopologySpreadConstraint> constraints = pod.getSpec().getTopologySpreadConstraintsList();
        for (TopologySpreadConstraint constraint : constraints) {
            Map<String, Long> counts = new HashMap<>();
            for (Node each : nodes.values()) {
                if (isEligible(pod, each, constraint, constraints)) {
                    counts.merge(
                            each.getMetadata().getLabelsOrThrow(constraint.getTopologyKey()),
                            on(each.getMetadata().getName())
                                    .filter(other -> matches(pod, other, constraint))
                                    .count(),
                            Long::sum);
                }
            }
            String domain = node.getMetadata().getLabelsOrDefault(constraint.getTopologyKey(), "");
            long minimum = counts.size() < constraint.getMinDomains()
                    ? 0
                    : counts.values().stream().mapToLong(Long::longValue).min().orElse(0);
            long skew = counts.getOrDefault(domain, 0L) + 1 - minimum;
            if (domain.isEmpty() || skew > constraint.getMaxSkew()) {
                return "skew " + skew + " over " + constraint.getTopologyKey();
            }
        }
        return "";
    }

    private static boolean isEligible(
            Pod pod, Node node, TopologySpreadConstraint constraint, List<TopologySpreadConstraint> all) {
        return all.stream().allMatch(each -> node.getMetadata().containsLabels(each.getTopologyKey()))
                && (constraint.getNodeAffinityPolicy().equals("Ignore") || isSelected(pod, node))
                && (!constraint.getNodeTaintsPolicy().equals("Honor") || isTolerated(pod, node));
    }

    /** Whether the pod's constraint, whose selector matches the pod itself, counts another pod. */
    private static boolean matches(Pod pod, Pod other, TopologySpreadConstraint constraint) {
        Map<String, String> wanted = new HashMap<>(constraint.getLabelSelector().getMatchLabelsMap());
        for (String key : constraint.getMatchLabelKeysList()) {
            wanted.put(key, pod.getMetadata().getLabelsOrThrow(key));
        }
        return other.getMetadata().getLabelsMap().entrySet().containsAll(wanted.entrySet());
    }

    private static boolean isSelected(Pod pod, Node node) {
        return node.getMetadata()
                .getLabelsMap()
                .entrySet()
                .containsAll(pod.getSpec().getNodeSelectorMap().entrySet());
    }

    private static boolean isTolerated(Pod pod, Node node) {
        List<String> tolerated = pod.getSpec().getTolerationsList().stream()
                .map(Toleration::getKey)
                .toList();
        return node.getSpec().getTaintsList().stream()
                .allMatch(taint -> taint.getEffect().equals("PreferNoSchedule") || tolerated.contains(taint.getKey()));
    }

    private static BigDecimal cpu(Pod pod) {
        return pod.getSpec().getContainersList().stream()
                .map(each -> each.getResources().getRequestsMap().get("cpu"))
                .map(each -> each == null ? BigDecimal.ZERO : quantity(each.getValue()))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    private static BigDecimal quantity(String text) {
        return text.endsWith("m")
                ? new BigDecimal(text.substring(0, text.length() - 1)).movePointLeft(3)
                : new BigDecimal(text);
    }
}
