package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;

import com.google.protobuf.StringValue;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Taint;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A small random cluster, nodes to remove from it one after another, and how many of them can be removed at most. A
 * line of {@code optimum.tsv.gz} has
 *
 * <ul>
 *   <li>the kind of the cluster and a number
 *   <li>the nodes to remove, in order
 *   <li>whether each stays as an empty node until its pods are placed, or is gone before
 *   <li>the most of them that can be removed
 *   <li>the nodes, as {@code n00,4,z1}: the name, the cpu and the zone, and what else applies, such as {@code cordoned}
 *   <li>the workloads, as {@code a,zone:1:3:Honor}: the label {@code app} of its pods, and their hard constraints with
 *       maxSkew, minDomains, both policies and matchLabelKeys
 *   <li>the pods, as {@code a-0,n00,500m}: the name, which begins with the workload's, the node, the cpu, and labels
 * </ul>
 *
 * @param most of {@code remove}
 */
record RecordedRemoval(String id, List<String> remove, boolean goneAtOnce, int most, List<Node> nodes, List<Pod> pods) {
    private static final String DEDICATED = "dedicated";
    private static final String POOL = "pool";
    private static final String SPECIAL = "special";

    static List<RecordedRemoval> all() throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(
                        Objects.requireNonNull(RecordedRemoval.class.getResourceAsStream("/removals/optimum.tsv.gz"))),
                StandardCharsets.UTF_8))) {
            return lines.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(RecordedRemoval::read)
                    .toList();
        }
    }

    private static RecordedRemoval read(String line) {
        String[] fields = line.split("\t", -1);
        String id = fields[0];
        Map<String, Pod> workloads = new HashMap<>();
        words(fields[5])
                .forEach(workload -> workloads.put(workload.substring(0, 1), workload(workload.split(",", -1))));
        return new RecordedRemoval(
                id,
                words(fields[1]),
                fields[2].equals("gone"),
                Integer.parseInt(fields[3]),
                words(fields[4]).stream()
                        .map(node -> node(id, node.split(",", -1)))
                        .toList(),
                words(fields[6]).stream()
                        .map(pod ->
                                pod(id, Objects.requireNonNull(workloads.get(pod.substring(0, 1))), pod.split(",", -1)))
                        .toList());
    }

    private static List<String> words(String field) {
        return Arrays.asList(field.split(" ", -1));
    }

    private static Node node(String id, String[] parts) {
        Node.Builder node = Messages.node(parts[0], parts[2]).toBuilder();
        node.getMetadataBuilder().setUid(id + "/" + parts[0]);
        node.getStatusBuilder()
                .putAllocatable("cpu", StringValue.of(parts[1]))
                .putAllocatable("pods", StringValue.of("110"));
        for (String more : Arrays.asList(parts).subList(3, parts.length)) {
            int equals = more.indexOf('=');
            if (more.equals("cordoned")) {
                node.getSpecBuilder().setUnschedulable(true);
            } else if (more.equals(SPECIAL)) {
                node.getMetadataBuilder().putLabels(POOL, SPECIAL);
            } else if (more.startsWith("taint=")) {
                node.getSpecBuilder()
                        .addTaints(Taint.newBuilder()
                                .setKey(DEDICATED)
                                .setValue(SPECIAL)
                                .setEffect(more.substring(equals + 1)));
            } else {
                node.getMetadataBuilder().putLabels(more.substring(0, equals), more.substring(equals + 1));
            }
        }
        return node.build();
    }

    /** What the pods of a workload have in common. */
    private static Pod workload(String[] parts) {
        String app = parts[0];
        Pod.Builder pod = Pod.newBuilder();
        OwnerReference.Builder owner = pod.getMetadataBuilder()
                .setNamespace(Messages.NAMESPACE)
                .putLabels("app", app)
                .addOwnerReferencesBuilder()
                .setApiVersion("apps/v1")
                .setKind("ReplicaSet")
                .setName(app)
                .setController(true);
        for (String more : Arrays.asList(parts).subList(1, parts.length)) {
            switch (more) {
                case "daemon" -> owner.setKind("DaemonSet");
                case SPECIAL -> pod.getSpecBuilder().putNodeSelector(POOL, SPECIAL);
                case "tolerant" ->
                    pod.getSpecBuilder()
                            .addTolerations(
                                    Toleration.newBuilder().setKey(DEDICATED).setOperator("Exists"));
                default -> pod.getSpecBuilder().addTopologySpreadConstraints(constraint(app, more));
            }
        }
        return pod.build();
    }

    private static TopologySpreadConstraint constraint(String app, String text) {
        String[] parts = Arrays.copyOf(text.split(":", -1), 6);
        TopologySpreadConstraint.Builder constraint = TopologySpreadConstraint.newBuilder()
                .setTopologyKey(
                        switch (parts[0]) {
                            case "zone" -> ZONE;
                            case "host" -> HOSTNAME;
                            default -> parts[0];
                        })
                .setMaxSkew(Integer.parseInt(parts[1]))
                .setWhenUnsatisfiable("DoNotSchedule")
                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", app));
        if (isGiven(parts[2])) {
            constraint.setMinDomains(Integer.parseInt(parts[2]));
        }
        if (isGiven(parts[3])) {
            constraint.setNodeAffinityPolicy(parts[3]);
        }
        if (isGiven(parts[4])) {
            constraint.setNodeTaintsPolicy(parts[4]);
        }
        if (isGiven(parts[5])) {
            constraint.addMatchLabelKeys(parts[5]);
        }
        return constraint.build();
    }

    private static boolean isGiven(@Nullable String part) {
        return part != null && !part.isEmpty();
    }

    private static Pod pod(String id, Pod workload, String[] parts) {
        Pod.Builder pod = workload.toBuilder();
        pod.getMetadataBuilder().setName(parts[0]).setUid(id + "/" + parts[0]);
        pod.getSpecBuilder().setNodeName(parts[1]);
        if (parts.length > 2) {
            Container.Builder container = pod.getSpecBuilder().addContainersBuilder();
            container.getResourcesBuilder().putRequests("cpu", StringValue.of(parts[2]));
        }
        if (parts.length > 3) {
            String[] label = parts[3].split("=", -1);
            pod.getMetadataBuilder().putLabels(label[0], label[1]);
        }
        return pod.build();
    }
}
