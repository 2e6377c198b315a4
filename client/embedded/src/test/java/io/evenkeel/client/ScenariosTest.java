package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Timestamp;
import io.evenkeel.client.ClientKind.Opened;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeReason;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.Taint;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plays the scenarios that are drawn as text (see README.md next to them). */
@Timeout(60)
final class ScenariosTest {
    private static final Map<String, String> KEYS =
            Map.of("zone", "topology.kubernetes.io/zone", "hostname", "kubernetes.io/hostname");

    @ParameterizedTest
    @CsvSource({
        "EMBEDDED, hard", "EMBEDDED, domains", "EMBEDDED, soft",
        "REMOTE, hard", "REMOTE, domains", "REMOTE, soft"
    })
    void scenario_isAnsweredAsDrawn(ClientKind kind, String name) throws IOException {
        int line = 1;
        Scene scene = null;
        int questions = 0;
        try {
            for (String block : text(name).split("\n\n", -1)) {
                List<String> lines = block.lines()
                        .filter(each -> !each.startsWith("#") && !each.isBlank())
                        .toList();
                List<String> command = words(lines.get(0));
                if (command.get(0).equals("cluster")) {
                    if (scene != null) {
                        scene.opened.close();
                    }
                    scene = new Scene(kind.open());
                    scene.draw(lines.subList(1, lines.size()));
                } else if (command.get(0).equals("ask")) {
                    int end = lines.indexOf("----");
                    Map<String, String> expected = new TreeMap<>();
                    cells(lines.subList(end + 1, lines.size())).forEach(cell -> expected.put(cell.name, cell.content));
                    assertEquals(
                            expected,
                            Objects.requireNonNull(scene).answer(command.get(1), lines.subList(1, end)),
                            name + ".txt, block at line " + line);
                    questions++;
                } else {
                    for (String change : lines) {
                        Objects.requireNonNull(scene).change(words(change));
                    }
                }
                line += (int) block.lines().count() + 1;
            }
        } finally {
            if (scene != null) {
                scene.opened.close();
            }
        }
        assertEquals(text(name).split("\nask ", -1).length - 1, questions);
    }

    /** A cell of a drawing: a node with its properties, and what is written after the colon. */
    private record Cell(int column, String name, List<String> properties, String content) {}

    private static List<Cell> cells(List<String> lines) {
        List<Cell> cells = new ArrayList<>();
        for (String line : lines) {
            String[] columns = line.split("\\|", -1);
            for (int column = 0; column < columns.length; column++) {
                int colon = columns[column].indexOf(':');
                if (colon > 0) {
                    List<String> node = words(columns[column].substring(0, colon));
                    cells.add(new Cell(
                            column,
                            node.get(0),
                            node.subList(1, node.size()),
                            columns[column].substring(colon + 1).strip()));
                }
            }
        }
        return cells;
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split("\\s+", -1));
    }

    private static String text(String name) throws IOException {
        try (InputStream file =
                Objects.requireNonNull(ScenariosTest.class.getResourceAsStream("/scenarios/" + name + ".txt"), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    /** A cluster and a client that knows it. */
    private static final class Scene {
        private final Opened opened;
        private final Map<String, List<Pod>> pods = new HashMap<>();
        private int created;

        Scene(Opened opened) {
            this.opened = opened;
        }

        void draw(List<String> lines) {
            String[] zones = lines.get(0).split("\\|", -1);
            for (Cell cell : cells(lines.subList(1, lines.size()))) {
                apply(ClusterObjects.added(
                        ClusterObjects.of(node(cell, words(zones[cell.column]).get(1)))));
                for (String app : words(cell.content)) {
                    if (!app.isEmpty()) {
                        add(app, cell.name);
                    }
                }
            }
        }

        private static Node node(Cell cell, String zone) {
            Node.Builder node = Node.newBuilder();
            ObjectMeta.Builder metadata = node.getMetadataBuilder()
                    .setName(cell.name)
                    .setUid("uid-of-" + cell.name)
                    .putLabels(KEYS.get("hostname"), cell.name)
                    .putLabels(KEYS.get("zone"), zone);
            for (String property : cell.properties) {
                if (property.equals("cordoned")) {
                    node.getSpecBuilder().setUnschedulable(true);
                } else if (property.equals("nozone")) {
                    metadata.removeLabels(KEYS.get("zone"));
                } else {
                    String[] pair = property.split("=", -1);
                    if (pair[0].equals("taint")) {
                        node.getSpecBuilder()
                                .addTaints(Taint.newBuilder().setKey(pair[1]).setEffect("NoSchedule"));
                    } else {
                        metadata.putLabels(pair[0], pair[1]);
                    }
                }
            }
            return node.build();
        }

        void change(List<String> words) {
            if (words.get(0).equals("add")) {
                add(words.get(1), words.get(2));
            } else if (words.get(0).equals("remove")) {
                Pod pod = Objects.requireNonNull(pods.get(words.get(1) + " on " + words.get(2)))
                        .remove(0);
                apply(ClusterObjects.deleted(ClusterObjects.of(pod)));
            } else {
                throw new IllegalArgumentException("unknown command " + words);
            }
        }

        /** @param app the value of the label app; with ! at its end, the pod is being deleted */
        private void add(String app, String node) {
            String name = "pod-" + created++;
            Pod.Builder pod = Pod.newBuilder();
            pod.getMetadataBuilder()
                    .setNamespace("shop")
                    .setName(name)
                    .setUid("uid-of-" + name)
                    .putLabels("app", app.replace("!", ""));
            if (app.endsWith("!")) {
                pod.getMetadataBuilder()
                        .setDeletionTimestamp(Timestamp.newBuilder().setSeconds(1));
            }
            pod.getSpecBuilder().setNodeName(node);
            pods.computeIfAbsent(app + " on " + node, key -> new ArrayList<>()).add(pod.build());
            apply(ClusterObjects.added(ClusterObjects.of(pod.build())));
        }

        private void apply(ClusterEvent event) {
            var response = opened.client()
                    .apply(ApplyRequest.newBuilder().addEvents(event).build());
            assertEquals(0, response.getRefusalsCount(), response::toString);
        }

        /** What is said about each node: "yes" or a rule, or the score if the pod has soft constraints. */
        Map<String, String> answer(String app, List<String> spec) {
            Pod.Builder pod = Pod.newBuilder();
            pod.getMetadataBuilder().setNamespace("shop").putLabels("app", app);
            for (String line : spec) {
                List<String> words = words(line);
                switch (words.get(0)) {
                    case "spread" -> pod.getSpecBuilder().addTopologySpreadConstraints(constraint(app, words));
                    case "select" -> {
                        String[] pair = words.get(1).split("=", -1);
                        pod.getSpecBuilder().putNodeSelector(pair[0], pair[1]);
                    }
                    case "tolerates" ->
                        pod.getSpecBuilder()
                                .addTolerations(Toleration.newBuilder()
                                        .setKey(words.get(1))
                                        .setOperator("Exists"));
                    default -> throw new IllegalArgumentException("unknown line of a spec: " + line);
                }
            }
            ReadableAnswer answer = opened.client()
                    .evaluate(Query.of(pod.build())
                            .among(CandidateNodes.enterable())
                            .everyNode()
                            .toEvaluate())
                    .getAnswers(0)
                    .getReadable();
            Map<String, String> said = new TreeMap<>();
            for (NodeVerdict node : answer.getVerdictsList()) {
                boolean isScored =
                        answer.getSoftConstraintCount() > 0 && node.getReason() == NodeReason.NODE_REASON_UNSPECIFIED;
                said.put(node.getName(), isScored ? Integer.toString(node.getScore()) : rule(node.getReason()));
            }
            return said;
        }

        private static TopologySpreadConstraint constraint(String app, List<String> words) {
            TopologySpreadConstraint.Builder constraint = TopologySpreadConstraint.newBuilder()
                    .setTopologyKey(KEYS.get(words.get(1)))
                    .setWhenUnsatisfiable("DoNotSchedule");
            String counted = app;
            for (int at = 2; at < words.size(); at += 2) {
                if (words.get(at).equals("soft")) {
                    constraint.setWhenUnsatisfiable("ScheduleAnyway");
                    at--;
                    continue;
                }
                String value = words.get(at + 1);
                switch (words.get(at)) {
                    case "maxSkew" -> constraint.setMaxSkew(Integer.parseInt(value));
                    case "minDomains" -> constraint.setMinDomains(Integer.parseInt(value));
                    case "affinity" -> constraint.setNodeAffinityPolicy(value);
                    case "taints" -> constraint.setNodeTaintsPolicy(value);
                    case "counts" -> counted = value;
                    default -> throw new IllegalArgumentException("unknown part of a constraint: " + words);
                }
            }
            return constraint
                    .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", counted))
                    .build();
        }

        private static String rule(NodeReason reason) {
            return switch (reason) {
                case NODE_REASON_UNSPECIFIED -> "yes";
                case NODE_REASON_UNSCHEDULABLE -> "cordoned";
                case NODE_REASON_UNTOLERATED_TAINT -> "taint";
                case NODE_REASON_NODE_AFFINITY -> "affinity";
                case NODE_REASON_MISSING_LABEL -> "noLabel";
                case NODE_REASON_MAX_SKEW -> "maxSkew";
                default -> throw new IllegalArgumentException(reason.toString());
            };
        }
    }
}
