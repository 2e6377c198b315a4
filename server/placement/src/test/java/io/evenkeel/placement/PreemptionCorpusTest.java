package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.object;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.PreemptResponse;
import io.evenkeel.v1.PreemptionNode;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/**
 * Compares Preempt with the dry run of kube-scheduler's own plugin; {@code loadtest/peer/preemption} has recorded it.
 */
final class PreemptionCorpusTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Nodes that are equal by this may come in any order. */
    private static final Comparator<PreemptionNode> RANK = Comparator.comparingInt(
                    PreemptionNode::getBudgetViolationCount)
            .thenComparingInt(PreemptionNode::getHighestPriority)
            .thenComparingLong(PreemptionNode::getPrioritySum)
            .thenComparingInt(PreemptionNode::getVictimsCount)
            .thenComparing(Comparator.comparingLong(PreemptionCorpusTest::earliestStart)
                    .reversed());

    private final Map<String, Integer> seen = new TreeMap<>();

    private static long earliestStart(PreemptionNode node) {
        return node.hasEarliestStartTime() ? node.getEarliestStartTime().getSeconds() : Long.MAX_VALUE;
    }

    @Test
    void victimsAndOrderOfNodes_equalThoseOfKubeScheduler() throws Exception {
        InputStream resource =
                Objects.requireNonNull(getClass().getResourceAsStream("/preemption/preemption.jsonl.gz"));
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(new GZIPInputStream(resource), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                compare(JSON.readTree(line));
            }
        }
        assertTrue(seen.getOrDefault("helpful", 0) > 250, seen::toString);
        assertTrue(seen.getOrDefault("unhelpful", 0) > 150, seen::toString);
        assertTrue(seen.getOrDefault("ineligible", 0) > 20, seen::toString);
        assertTrue(seen.getOrDefault("accepted", 0) > 10, seen::toString);
        assertTrue(seen.getOrDefault("victims", 0) > 1_500, seen::toString);
        assertTrue(seen.getOrDefault("violations", 0) > 100, seen::toString);
    }

    private void compare(JsonNode scenario) throws InvalidProtocolBufferException {
        String name = scenario.path("name").asText();
        PreemptResponse response = answer(scenario);
        String outcome = scenario.path("outcome").asText();
        seen.merge(outcome, 1, Integer::sum);
        String message = scenario.path("message").asText();
        assertEquals(message, response.getSummary(), name);
        String expected = switch (outcome) {
            case "accepted" -> "PREEMPTION_OUTCOME_NOT_NEEDED";
            case "helpful" -> "PREEMPTION_OUTCOME_HELPFUL";
            case "unhelpful" -> "PREEMPTION_OUTCOME_NOT_HELPFUL";
            default ->
                message.contains("Never") ? "PREEMPTION_OUTCOME_NEVER" : "PREEMPTION_OUTCOME_VICTIMS_TERMINATING";
        };
        assertEquals(expected, response.getOutcome().name(), name);
        assertEquals(response.getNodesCount(), response.getHelpfulNodeCount(), name);

        Map<String, PreemptionNode> nodes =
                response.getNodesList().stream().collect(Collectors.toMap(PreemptionNode::getName, node -> node));
        List<PreemptionNode> inTheirOrder = new ArrayList<>();
        for (JsonNode candidate : scenario.path("candidates")) {
            PreemptionNode node = nodes.get(candidate.path("node").asText());
            assertTrue(node != null, name + " lacks " + candidate);
            List<String> victims = new ArrayList<>();
            candidate.path("victims").forEach(victim -> victims.add(victim.asText()));
            assertEquals(
                    victims,
                    node.getVictimsList().stream()
                            .map(victim -> victim.getPod().getName())
                            .toList(),
                    name + ", " + node.getName());
            assertEquals(candidate.path("violations").asInt(), node.getBudgetViolationCount(), name);
            inTheirOrder.add(node);
            seen.merge("victims", victims.size(), Integer::sum);
            seen.merge("violations", node.getBudgetViolationCount(), Integer::sum);
        }
        assertEquals(inTheirOrder.size(), nodes.size(), name);
        for (int i = 0; i < inTheirOrder.size(); i++) {
            assertEquals(0, RANK.compare(inTheirOrder.get(i), response.getNodes(i)), name);
        }
    }

    private static PreemptResponse answer(JsonNode scenario) throws InvalidProtocolBufferException {
        List<ClusterObject> objects = new ArrayList<>();
        for (JsonNode node : scenario.path("nodes")) {
            objects.add(object(message(node, Node.newBuilder()).build()));
        }
        for (JsonNode pod : scenario.path("bound")) {
            objects.add(object(message(pod, Pod.newBuilder()).build()));
        }
        for (JsonNode budget : scenario.path("budgets")) {
            objects.add(ClusterObject.newBuilder()
                    .setPodDisruptionBudget(message(budget, PodDisruptionBudget.newBuilder()))
                    .build());
        }
        PreemptRequest request = PreemptRequest.newBuilder()
                .setPod(message(scenario.path("pod"), Pod.newBuilder()))
                .setNodeLimit(100)
                .build();
        try (Instance instance = new Instance(InstanceOptions.standard())) {
            instance.clusterState().apply(apply(objects));
            FutureCall<PreemptResponse> call = new FutureCall<>(Duration.ofSeconds(30));
            instance.placement().preempt().handleMessage(request, call);
            return call.join();
        }
    }

    private static <B extends Message.Builder> B message(JsonNode json, B builder)
            throws InvalidProtocolBufferException {
        JsonFormat.parser().ignoringUnknownFields().merge(json.toString(), builder);
        return builder;
    }
}
