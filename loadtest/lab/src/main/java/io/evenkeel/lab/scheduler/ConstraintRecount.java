package io.evenkeel.lab.scheduler;

import io.evenkeel.loadtest.cluster.Labels;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.NodeSelectorTerm;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Taint;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Checks the constraints in a cluster after all pods of a turn are bound, counting its nodes and pods with plain loops.
 * Supports only the constraints of generated pods, and rejects others.
 *
 * <p>If pods were only added, no domain that got a pod may now exceed the minimum by more than {@code maxSkew}: this
 * held when its last pod was bound, and the minimum can only have grown since.
 *
 * @param violated the hard constraints violated in a domain that got a pod of the turn
 * @param softSkews the difference between the largest and the smallest domain, by soft constraint
 */
record ConstraintRecount(List<String> violated, Map<String, SoftSkew> softSkews) {
    private static final String HARD = "DoNotSchedule";

    /** kube-scheduler's System defaults, for pods with an owner and without constraints. */
    private static final List<TopologySpreadConstraint> DEFAULTS =
            List.of(soft(Labels.HOSTNAME, 3), soft(Labels.ZONE, 5));

    /** @param maxSkew the constraint's maxSkew */
    record SoftSkew(int skew, int maxSkew) {}

    private record Template(
            String namespace, Map<String, String> labels, List<TopologySpreadConstraint> constraints, Pod pod) {
        static Template of(Pod pod) {
            Pod.Builder plain = Pod.newBuilder();
            plain.getSpecBuilder()
                    .putAllNodeSelector(pod.getSpec().getNodeSelectorMap())
                    .setAffinity(pod.getSpec().getAffinity())
                    .addAllTolerations(pod.getSpec().getTolerationsList());
            return new Template(
                    pod.getMetadata().getNamespace(), pod.getMetadata().getLabelsMap(), asked(pod), plain.build());
        }
    }

    private static TopologySpreadConstraint soft(String key, int maxSkew) {
        return TopologySpreadConstraint.newBuilder()
                .setTopologyKey(key)
                .setMaxSkew(maxSkew)
                .setWhenUnsatisfiable("ScheduleAnyway")
                .build();
    }

    private static List<TopologySpreadConstraint> asked(Pod pod) {
        List<TopologySpreadConstraint> own = pod.getSpec().getTopologySpreadConstraintsList();
        if (!own.isEmpty() || pod.getMetadata().getOwnerReferencesCount() == 0) {
            return own;
        }
        LabelSelector owner = LabelSelector.newBuilder()
                .putMatchLabels("app", pod.getMetadata().getLabelsOrThrow("app"))
                .putMatchLabels("pod-template-hash", pod.getMetadata().getLabelsOrThrow("pod-template-hash"))
                .build();
        return DEFAULTS.stream()
                .map(constraint ->
                        constraint.toBuilder().setLabelSelector(owner).build())
                .toList();
    }

    /**
     * Recounts a cluster.
     *
     * @param pods all pods of the cluster
     * @param keys the keys of the pods that the turn had to bind
     */
    static ConstraintRecount of(List<Node> nodes, List<Pod> pods, Set<String> keys) {
        Map<Template, List<Pod>> raced = new LinkedHashMap<>();
        for (Pod pod : pods) {
            if (keys.contains(RacePods.key(pod)) && isBound(pod)) {
                raced.computeIfAbsent(Template.of(pod), template -> new ArrayList<>())
                        .add(pod);
            }
        }
        Map<String, Node> byName = new HashMap<>();
        nodes.forEach(node -> byName.put(node.getMetadata().getName(), node));
        List<String> violated = new ArrayList<>();
        Map<String, SoftSkew> softSkews = new TreeMap<>();
        raced.forEach((template, bound) -> {
            for (TopologySpreadConstraint constraint : template.constraints()) {
                Map<String, Integer> counts = counts(template, constraint, byName, pods);
                int least = counts.isEmpty() ? 0 : Collections.min(counts.values());
                String what =
                        template.namespace() + '/' + template.labels().get("app") + ' ' + constraint.getTopologyKey();
                if (constraint.getWhenUnsatisfiable().equals(HARD)) {
                    for (String domain : domains(bound, constraint, byName)) {
                        Integer count = counts.get(domain);
                        if (count == null || count - least > constraint.getMaxSkew()) {
                            violated.add(what + ": " + count + " in '" + domain + "', minimum " + least + ", maxSkew "
                                    + constraint.getMaxSkew());
                        }
                    }
                } else if (!counts.isEmpty()) {
                    softSkews.merge(
                            what,
                            new SoftSkew(Collections.max(counts.values()) - least, constraint.getMaxSkew()),
                            (one, other) -> one.skew() < other.skew() ? other : one);
                }
            }
        });
        return new ConstraintRecount(List.copyOf(violated), Collections.unmodifiableMap(softSkews));
    }

    /** The soft constraints whose skew exceeds that in {@code stock} by more than maxSkew. */
    List<String> beyond(ConstraintRecount stock) {
        List<String> beyond = new ArrayList<>();
        softSkews.forEach((what, skew) -> {
            SoftSkew ofStock = stock.softSkews().get(what);
            if (ofStock == null || skew.skew() > ofStock.skew() + skew.maxSkew()) {
                beyond.add(what + ": " + skew.skew() + " vs " + (ofStock == null ? "none" : ofStock.skew()));
            }
        });
        return beyond;
    }

    private static boolean isBound(Pod pod) {
        return !pod.getSpec().getNodeName().isEmpty();
    }

    private static Set<String> domains(List<Pod> bound, TopologySpreadConstraint constraint, Map<String, Node> nodes) {
        Set<String> domains = new HashSet<>();
        for (Pod pod : bound) {
            Node node = nodes.get(pod.getSpec().getNodeName());
            if (node != null) {
                domains.add(node.getMetadata().getLabelsOrDefault(constraint.getTopologyKey(), ""));
            }
        }
        return domains;
    }

    /** The number of pods in each domain, on the nodes that a constraint counts. */
    private static Map<String, Integer> counts(
            Template template, TopologySpreadConstraint constraint, Map<String, Node> nodes, List<Pod> pods) {
        if (constraint.hasMinDomains()
                || constraint.getMatchLabelKeysCount() > 0
                || constraint.getLabelSelector().getMatchExpressionsCount() > 0) {
            throw new IllegalArgumentException(
                    "the recount does not support minDomains, matchLabelKeys or expressions");
        }
        List<String> keys = template.constraints().stream()
                .filter(other -> other.getWhenUnsatisfiable().equals(constraint.getWhenUnsatisfiable()))
                .map(TopologySpreadConstraint::getTopologyKey)
                .toList();
        Map<String, String> domainOf = new HashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        nodes.forEach((name, node) -> {
            if (node.getMetadata().getLabelsMap().keySet().containsAll(keys)
                    && (!honours(constraint.getNodeAffinityPolicy(), true) || hasAffinity(template.pod(), node))
                    && (!honours(constraint.getNodeTaintsPolicy(), false) || tolerates(template.pod(), node))) {
                String domain = node.getMetadata().getLabelsOrThrow(constraint.getTopologyKey());
                domainOf.put(name, domain);
                counts.put(domain, 0);
            }
        });
        Map<String, String> wanted = constraint.getLabelSelector().getMatchLabelsMap();
        for (Pod pod : pods) {
            String domain = domainOf.get(pod.getSpec().getNodeName());
            if (domain != null
                    && pod.getMetadata().getNamespace().equals(template.namespace())
                    && !pod.getMetadata().hasDeletionTimestamp()
                    && pod.getMetadata().getLabelsMap().entrySet().containsAll(wanted.entrySet())) {
                counts.merge(domain, 1, Integer::sum);
            }
        }
        return counts;
    }

    private static boolean honours(String policy, boolean otherwise) {
        return policy.isEmpty() ? otherwise : policy.equals("Honor");
    }

    private static boolean hasAffinity(Pod pod, Node node) {
        Map<String, String> labels = node.getMetadata().getLabelsMap();
        List<NodeSelectorTerm> terms = pod.getSpec()
                .getAffinity()
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTermsList();
        return labels.entrySet().containsAll(pod.getSpec().getNodeSelectorMap().entrySet())
                && (terms.isEmpty()
                        || terms.stream()
                                .anyMatch(term -> term.getMatchExpressionsList().stream()
                                        .allMatch(asked -> isIn(asked, labels))));
    }

    private static boolean isIn(NodeSelectorRequirement asked, Map<String, String> labels) {
        if (!asked.getOperator().equals("In")) {
            throw new IllegalArgumentException("the recount does not support the operator " + asked.getOperator());
        }
        String value = labels.get(asked.getKey());
        return value != null && asked.getValuesList().contains(value);
    }

    private static boolean tolerates(Pod pod, Node node) {
        return node.getSpec().getTaintsList().stream()
                .filter(taint -> !taint.getEffect().equals("PreferNoSchedule"))
                .allMatch(taint ->
                        pod.getSpec().getTolerationsList().stream().anyMatch(toleration -> covers(toleration, taint)));
    }

    private static boolean covers(Toleration toleration, Taint taint) {
        return (toleration.getEffect().isEmpty() || toleration.getEffect().equals(taint.getEffect()))
                && (toleration.getKey().isEmpty() || toleration.getKey().equals(taint.getKey()))
                && (toleration.getOperator().equals("Exists")
                        || Objects.equals(toleration.getValue(), taint.getValue()));
    }
}
