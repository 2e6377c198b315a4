package io.evenkeel.commands;

import io.evenkeel.cli.Paragraphs;
import io.evenkeel.cli.TextTable;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Session;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.PlacementRule;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScheduledItem;
import io.evenkeel.v1.ScheduledPods;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What is left if the nodes of a domain are lost: their pods are created again by their controllers, and go to other
 * nodes one after another, by namespace and name.
 */
final class LostDomain {
    /** Schedule explains at most as many items of a call. */
    private static final int ITEMS = 16;

    private final String key;
    private final String value;
    private final PlacementRule rule;
    private final Predicate<PodWorkload> isShown;
    private final Map<PodWorkload, Loss> losses = new TreeMap<>();
    private int nodes;
    private int lostNodes;
    private int unaffected;

    /** What a workload loses. */
    private static final class Loss {
        private int pods;
        private int lost;
        private int placed;
        private final List<ScheduledItem> refusals = new ArrayList<>();
        private List<ConstraintExplanation> constraints = List.of();

        int left() {
            return pods - lost + placed;
        }
    }

    /**
     * @param rule which of the nodes that a pod can go to it is placed on
     * @param isShown the workloads to report
     */
    LostDomain(String key, String value, PlacementRule rule, Predicate<PodWorkload> isShown) {
        this.key = key;
        this.value = value;
        this.rule = rule;
        this.isShown = isShown;
    }

    /** Whether a node is in the domain. */
    boolean has(Node node) {
        return value.equals(node.getMetadata().getLabelsMap().get(key));
    }

    /**
     * Takes the domain from a new session, and places its pods again. Returns whether each pod of the shown workloads
     * that is created again has a node.
     */
    boolean lose(PlacementClient client, ClusterContent content) {
        try (Session session = client.openSession()) {
            lose(client, session, content);
        }
        return losses.values().stream().allMatch(loss -> loss.refusals.isEmpty());
    }

    private void lose(PlacementClient client, Session session, ClusterContent content) {
        Set<String> gone = content.nodes().stream()
                .filter(this::has)
                .map(node -> node.getMetadata().getName())
                .collect(Collectors.toSet());
        nodes = content.nodes().size();
        lostNodes = gone.size();
        gone.stream().sorted().forEach(session::removeNode);
        List<Pod> again = new ArrayList<>();
        for (Pod pod : content.pods()) {
            String node = pod.getSpec().getNodeName();
            if (!node.isEmpty()) {
                PodWorkload workload = PodWorkload.of(pod);
                Loss loss = losses.computeIfAbsent(workload, unknown -> new Loss());
                loss.pods++;
                if (gone.contains(node)) {
                    loss.lost++;
                    if (!workload.isBoundToNodes() && !workload.isSinglePod()) {
                        again.add(pod);
                    }
                }
            }
        }
        List<PodKinds.Kind> kinds = PodKinds.of(again);
        for (int from = 0; from < kinds.size(); from += ITEMS) {
            place(client, session, kinds.subList(from, Math.min(kinds.size(), from + ITEMS)));
        }
        for (PodKinds.Kind kind : kinds) {
            Loss loss = loss(kind);
            if (isShown.test(kind.workload()) && loss.constraints.isEmpty()) {
                loss.constraints = SpreadChange.in(session, kind.pod(), 1).getConstraintsList();
            }
        }
        unaffected =
                (int) losses.values().stream().filter(loss -> loss.lost == 0).count();
        losses.entrySet().removeIf(each -> each.getValue().lost == 0 || !isShown.test(each.getKey()));
    }

    private Loss loss(PodKinds.Kind kind) {
        return losses.computeIfAbsent(kind.workload(), unknown -> new Loss());
    }

    private void place(PlacementClient client, Session session, List<PodKinds.Kind> kinds) {
        ScheduleRequest.Builder request =
                ScheduleRequest.newBuilder().setSession(session.id()).setRule(rule);
        kinds.forEach(kind ->
                request.addPods(ScheduledPods.newBuilder().setPod(kind.pod()).setCount(kind.count())));
        ScheduleResponse response = client.schedule(request.build());
        for (int i = 0; i < kinds.size(); i++) {
            ScheduledItem item = response.getItems(i);
            if (item.hasError()) {
                throw PlacementException.of(item.getError());
            }
            loss(kinds.get(i)).placed += item.getPlacedCount();
            if (!item.getSummary().isEmpty()) {
                loss(kinds.get(i)).refusals.add(item);
            }
        }
    }

    Map<String, ?> fields() {
        List<Map<String, ?>> workloads = new ArrayList<>();
        losses.forEach((workload, loss) -> {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("workload", workload.toString());
            fields.put("pods", loss.pods);
            fields.put("lost", loss.lost);
            fields.put("placedAgain", loss.placed);
            fields.put("pending", pending(workload, loss));
            fields.put("left", loss.left());
            fields.put("reasons", loss.refusals);
            fields.put("constraints", loss.constraints);
            workloads.add(fields);
        });
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("key", key);
        fields.put("value", value);
        fields.put("lostNodes", lostNodes);
        fields.put("workloads", workloads);
        return fields;
    }

    private static int pending(PodWorkload workload, Loss loss) {
        return workload.isBoundToNodes() || workload.isSinglePod() ? 0 : loss.lost - loss.placed;
    }

    private static String survives(PodWorkload workload, Loss loss) {
        if (workload.isBoundToNodes()) {
            return "on its other nodes";
        }
        if (loss.left() == 0) {
            return "no";
        }
        return loss.left() == loss.pods ? "yes" : "with " + loss.left() + " of " + loss.pods;
    }

    String text(int maxRows) {
        StringBuilder text = new StringBuilder();
        text.append("Lost: " + lostNodes + " of " + nodes + " nodes, with " + Paragraphs.printable(key + "=" + value)
                + ".\n");
        if (losses.isEmpty()) {
            text.append("None of these workloads loses a pod.\n");
        } else {
            appendWorkloads(text, maxRows);
        }
        if (unaffected > 0) {
            text.append("  " + unaffected
                    + (unaffected == 1 ? " workload loses no pod.\n" : " workloads of the cluster lose no pod.\n"));
        }
        boolean first = true;
        for (Map.Entry<PodWorkload, Loss> each : losses.entrySet()) {
            for (ScheduledItem item : each.getValue().refusals) {
                text.append(first ? "\nWhy pods stay pending\n" : "");
                first = false;
                Paragraphs.append(text, 2, each.getKey() + ": " + item.getSummary());
                Paragraphs.append(text, 4, UnplacedCauses.of(item.getConstraint()));
            }
        }
        return text.toString();
    }

    private void appendWorkloads(StringBuilder text, int maxRows) {
        TextTable table = new TextTable(2)
                .left("WORKLOAD")
                .right("PODS")
                .right("LOST")
                .right("PLACED AGAIN")
                .right("PENDING")
                .left("SURVIVES")
                .left("SKEW");
        losses.forEach((workload, loss) -> {
            table.row(
                    workload.toString(),
                    loss.pods,
                    loss.lost,
                    loss.placed,
                    pending(workload, loss),
                    survives(workload, loss),
                    skews(loss.constraints));
        });
        table.appendTo(text, maxRows);
    }

    /** {@code 2 (zone), 1 (hostname)}, with a mark if a skew is above maxSkew. */
    private static String skews(List<ConstraintExplanation> constraints) {
        return constraints.stream()
                .map(constraint -> {
                    String topologyKey = constraint.getConstraint().getTopologyKey();
                    int maxSkew = constraint.getConstraint().getMaxSkew();
                    long skew = SpreadChange.skew(constraint);
                    return skew + (skew > maxSkew ? " > " + maxSkew : "") + " ("
                            + topologyKey.substring(topologyKey.lastIndexOf('/') + 1) + ")";
                })
                .collect(Collectors.joining(", "));
    }
}
