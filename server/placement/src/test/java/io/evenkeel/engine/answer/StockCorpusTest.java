package io.evenkeel.engine.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.engine.simulation.RefusalListener;
import io.evenkeel.engine.simulation.Schedule;
import io.evenkeel.engine.simulation.ScheduledPods;
import io.evenkeel.engine.simulation.Scheduler;
import io.evenkeel.engine.simulation.SimulatedCluster;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.ScoredPodTranslator;
import io.evenkeel.objects.StoredObjectTranslator;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Service;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Compares the rule STOCK with the scores that kube-scheduler's own plugins gave, and with the nodes that follow from
 * them; {@code loadtest/peer/stock} has recorded these.
 */
final class StockCorpusTest {
    /** Pods without a node are part of the sequences. */
    private static final RefusalListener UNPLACED = (item, answer) -> {
        assertEquals(0, answer.passedCount());
        return false;
    };

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final IncomingPodTranslator INCOMING = new IncomingPodTranslator(PodLimits.DEFAULT);

    private final List<JsonNode> scenarios = new ArrayList<>();

    /** Reused, so that what an answer leaves in its memory is there for the next. */
    private final Answer answer = new Answer();

    @BeforeEach
    void read() throws IOException {
        InputStream resource = Objects.requireNonNull(getClass().getResourceAsStream("/stock/stock.jsonl.gz"));
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(new GZIPInputStream(resource), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                scenarios.add(JSON.readTree(line));
            }
        }
    }

    @Test
    void sums_equalThoseOfKubeScheduler() throws Exception {
        int compared = 0;
        int ties = 0;
        for (JsonNode scenario : scenarios) {
            SpreadEngine engine = engine(scenario);
            for (JsonNode placed : scenario.path("placed")) {
                String at = scenario.path("name").asText() + ", "
                        + placed.path("pod").path("metadata").path("name").asText();
                Map<String, Long> expected = new TreeMap<>();
                placed.path("scores").properties().forEach(node -> {
                    long sum = 0;
                    for (JsonNode score : node.getValue()) {
                        sum += score.asLong();
                    }
                    expected.put(node.getKey(), sum);
                });
                Pod pod = message(placed.path("pod"), Pod.newBuilder()).build();
                assertEquals(expected, sums(engine, pod), at);
                long most = expected.values().stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElse(0);
                Set<String> best = new TreeSet<>();
                expected.forEach((node, sum) -> {
                    if (sum == most) {
                        best.add(node);
                    }
                });
                assertEquals(best, names(engine, answer.top()), at);
                compared += expected.size();
                ties += best.size() > 1 ? 1 : 0;
                bind(engine, pod, placed.path("node").asText());
            }
            IndexValidator.validate(engine);
        }
        assertTrue(compared > 1_500, "compared sums: " + compared);
        assertTrue(ties > 10, "ties: " + ties);
    }

    @Test
    void scheduledPods_goToTheNodesOfKubeScheduler() throws Exception {
        for (JsonNode scenario : scenarios) {
            SpreadEngine engine = engine(scenario).fork();
            List<ScheduledPods> items = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (JsonNode placed : scenario.path("placed")) {
                Pod pod = message(placed.path("pod"), Pod.newBuilder()).build();
                items.add(new ScheduledPods(
                        engine.plan(INCOMING.translate(pod), SpreadDefaults.SYSTEM),
                        ScoredPodTranslator.translate(pod.getSpec(), PodLimits.DEFAULT),
                        PodScanner.record(pod, Change.ADDED),
                        1,
                        ""));
                expected.add(placed.path("node").asText());
            }
            Schedule schedule = new SimulatedCluster(engine)
                    .schedule(new Scheduler(engine, items, PlacementRule.STOCK, List.of(), UNPLACED, StopSignal.NEVER));
            List<String> actual = new ArrayList<>();
            int next = 0;
            for (int item = 0; item < items.size(); item++) {
                actual.add(
                        schedule.placed(item) == 0
                                ? ""
                                : String.valueOf(schedule.names().name(schedule.nodes()[next++])));
            }
            assertEquals(expected, actual, scenario.path("name").asText());
        }
    }

    private static SpreadEngine engine(JsonNode scenario) throws Exception {
        SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
        for (JsonNode each : scenario.path("nodes")) {
            NodeObject node =
                    StoredObjectTranslator.node(message(each, Node.newBuilder()).build(), Change.ADDED);
            engine.write(writer -> writer.apply(Change.ADDED, node));
        }
        for (JsonNode each : scenario.path("services")) {
            OwnerObject service = StoredObjectTranslator.service(
                    message(each, Service.newBuilder()).build(), Change.ADDED);
            engine.write(writer -> writer.apply(Change.ADDED, service));
        }
        for (JsonNode each : scenario.path("bound")) {
            Pod pod = message(each, Pod.newBuilder()).build();
            bind(engine, pod, pod.getSpec().getNodeName());
        }
        return engine;
    }

    private static void bind(SpreadEngine engine, Pod pod, String node) throws InvalidObjectException {
        if (!node.isEmpty()) {
            Pod.Builder bound = pod.toBuilder();
            bound.getSpecBuilder().setNodeName(node);
            PodRecord record = PodScanner.record(bound.build(), Change.ADDED);
            engine.write(writer -> writer.apply(Change.ADDED, record));
        }
    }

    private static <B extends Message.Builder> B message(JsonNode json, B builder)
            throws InvalidProtocolBufferException {
        JsonFormat.parser().ignoringUnknownFields().merge(json.toString(), builder);
        return builder;
    }

    /** The sum of each node that passed, and the answer. */
    private Map<String, Long> sums(SpreadEngine engine, Pod pod) throws InvalidObjectException {
        PodPlan plan = engine.plan(INCOMING.translate(pod), SpreadDefaults.SYSTEM);
        ScoredPod scored = ScoredPodTranslator.translate(pod.getSpec(), PodLimits.DEFAULT);
        engine.judgeAndWrite((writer, evaluation) -> evaluation.runStock(plan, scored, NodeSubset.ALL, answer));
        Map<String, Long> sums = new TreeMap<>();
        NodeNameTable names = engine.nodeNames();
        for (int slot : names.byName()) {
            if (NodeBits.get(answer.draft().verdicts.passed(), slot)) {
                sums.put(
                        String.valueOf(names.name(slot)),
                        answer.draft().scratch.stockSums.get(slot));
            }
        }
        return sums;
    }

    private static Set<String> names(SpreadEngine engine, long[] slots) {
        Set<String> names = new TreeSet<>();
        for (int slot : engine.nodeNames().byName()) {
            if (NodeBits.get(slots, slot)) {
                names.add(String.valueOf(engine.nodeNames().name(slot)));
            }
        }
        return names;
    }
}
