package io.evenkeel.service.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.Message;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.placement.Messages;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EntryRules;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.MovePod;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeNames;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.SimulationGrpc;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares plans for random clusters with the optimum, which a constraint solver (CP-SAT) has found for each: first the
 * least excess, then the fewest moves. Carries each plan out in a session. The kinds of clusters are in the names:
 * nodes with little room (tight), selectors that several workloads share (shared), racks across zones (rack), soft
 * constraints (soft), {@code matchLabelKeys} (revision), disruption budgets (budget), all of these (every), and so on.
 */
final class RebalanceOptimumTest {
    /** What a plan has more than the best one. If it has more excess, it may have fewer moves. */
    private record More(int excess, int moves) {}

    /**
     * Plans that are not the best ones: nodes are almost full, or no moves of the best plan are possible, so that moves
     * of single pods come first.
     */
    private static final Map<String, More> WORSE = Map.of("tight-2004", new More(1, -4), "shared-2000", new More(2, 2));

    private record Recorded(String id, boolean withSoft, int excess, int moves, List<ClusterObject> objects) {}

    private static List<Recorded> recorded() throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        List<Recorded> recorded = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(
                        Objects.requireNonNull(RebalanceOptimumTest.class.getResourceAsStream("rebalance.jsonl.gz"))),
                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode each = mapper.readTree(line);
                recorded.add(new Recorded(
                        each.get("id").asText(),
                        each.path("soft").asBoolean(),
                        each.get("excess").asInt(),
                        each.get("moves").asInt(),
                        objects(each.get("objects").toString())));
            }
        }
        return recorded;
    }

    private static List<ClusterObject> objects(String json) throws IOException {
        List<ClusterObject> objects = new ArrayList<>();
        try (ObjectReader reader =
                ObjectReader.of(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), "recorded")) {
            for (Message object = reader.next(); object != null; object = reader.next()) {
                objects.add(
                        object instanceof Node node
                                ? Messages.object(node)
                                : object instanceof PodDisruptionBudget budget
                                        ? ClusterObject.newBuilder()
                                                .setPodDisruptionBudget(budget)
                                                .build()
                                        : Messages.object((Pod) object));
            }
        }
        return objects;
    }

    @Test
    @Tag("long")
    void plans_areTheBestOnes() throws IOException {
        List<Recorded> all = recorded();
        assertTrue(all.size() > 100);
        Map<String, More> worse = new TreeMap<>();
        for (Recorded each : all) {
            try (TestServer server = TestServer.start()) {
                assertEquals(
                        List.of(),
                        server.clusterState.apply(Messages.apply(each.objects)).getRefusalsList());
                SimulationGrpc.SimulationBlockingStub simulation = SimulationGrpc.newBlockingStub(server.channel);
                RebalanceResponse plan = simulation.rebalance(RebalanceRequest.newBuilder()
                        .setIncludeSoft(each.withSoft)
                        .build());
                More more = new More((int) plan.getExcessAfter() - each.excess, plan.getMovesCount() - each.moves);
                int possible = plan.getMovesCount() - (int) plan.getImpossibleMoveCount();
                CarriedOut carriedOut = new CarriedOut(server, each, plan);
                assertEquals(plan.getExcessAfter(), carriedOut.excessAfter(0, possible), each.id);
                // The solver does not ask whether moves are possible.
                long excess = carriedOut.excessAfter(possible, plan.getMovesCount());
                More ofAll = new More((int) excess - each.excess, more.moves);
                if (!ofAll.equals(new More(0, 0))) {
                    worse.put(each.id, ofAll);
                }
                assertTrue(ofAll.excess > 0 || plan.getMinMoveCount() <= each.moves, each.id);
            }
        }
        assertEquals(new TreeMap<>(WORSE), worse);
    }

    /** A session in which the moves of a plan are made. */
    private static final class CarriedOut {
        private final TestServer server;
        private final SimulationGrpc.SimulationBlockingStub simulation;
        private final String id;
        private final boolean withSoft;
        private final RebalanceResponse plan;
        private final Map<String, Pod> pods = new HashMap<>();
        private final String session;

        CarriedOut(TestServer server, Recorded recorded, RebalanceResponse plan) {
            this.server = server;
            this.plan = plan;
            id = recorded.id;
            withSoft = recorded.withSoft;
            for (ClusterObject object : recorded.objects) {
                if (object.hasPod()) {
                    pods.put(object.getPod().getMetadata().getUid(), object.getPod());
                }
            }
            simulation = SimulationGrpc.newBlockingStub(server.channel);
            session = simulation
                    .openSession(OpenSessionRequest.getDefaultInstance())
                    .getSession();
        }

        /**
         * Makes some moves; the filters admit the pod of each possible one at its turn, or once the moves of its chain
         * are made.
         */
        long excessAfter(int from, int to) {
            int first = from;
            for (int i = from; i < to; i++) {
                PodMove move = plan.getMoves(i);
                boolean isPossible = i < plan.getMovesCount() - plan.getImpossibleMoveCount();
                assertTrue(move.getRejected() || !isPossible || isAdmitted(move), () -> id + " at its turn: " + move);
                make(move);
                if (!move.getTogetherWithNext()) {
                    for (PodMove made : plan.getMovesList().subList(first, i + 1)) {
                        assertTrue(!isPossible || isAdmitted(made), () -> id + " at the end of its chain: " + made);
                    }
                    first = i + 1;
                }
            }
            return simulation
                    .rebalance(RebalanceRequest.newBuilder()
                            .setIncludeSoft(withSoft)
                            .setSession(session)
                            .build())
                    .getExcessBefore();
        }

        private void make(PodMove move) {
            simulation.changeSession(ChangeSessionRequest.newBuilder()
                    .setSession(session)
                    .addOperations(SessionOperation.newBuilder()
                            .setMovePod(
                                    MovePod.newBuilder().setPod(move.getPod()).setNode(plan.getNodes(move.getTo()))))
                    .build());
        }

        /** Whether the new node of a pod admits it if the pod is nowhere. */
        private boolean isAdmitted(PodMove move) {
            Pod.Builder pending = Objects.requireNonNull(pods.get(move.getPod().getUid())).toBuilder();
            pending.getSpecBuilder().clearNodeName();
            NodeNames to =
                    NodeNames.newBuilder().addNames(plan.getNodes(move.getTo())).build();
            return server.placement
                            .filter(FilterRequest.newBuilder()
                                    .addPods(pending)
                                    .setOptions(QueryOptions.newBuilder()
                                            .setCandidates(Candidates.newBuilder()
                                                    .setNamed(to)
                                                    .setRules(EntryRules.ENTRY_RULES_FITTING)))
                                    .setOverlay(Overlay.newBuilder().addWithout(move.getPod()))
                                    .setSession(session)
                                    .build())
                            .getAnswers(0)
                            .getReadable()
                            .getPassedCount()
                    == 1;
        }
    }
}
