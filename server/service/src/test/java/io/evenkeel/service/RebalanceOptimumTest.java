package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.Message;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.placement.Messages;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.MovePod;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodMove;
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
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares plans for random clusters with the optimum, which a constraint solver (CP-SAT) has found for each: first the
 * least excess, then the fewest moves. The kinds of clusters are in the names: nodes with little room (tight),
 * selectors that several workloads share (shared), racks across zones (rack), and so on.
 */
final class RebalanceOptimumTest {
    /** Plans that are not the best ones, because nodes are almost full. */
    private static final Set<String> WORSE = Set.of("tight-2004");

    private record Recorded(String id, int excess, int moves, List<ClusterObject> objects) {}

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
                objects.add(object instanceof Node node ? Messages.object(node) : Messages.object((Pod) object));
            }
        }
        return objects;
    }

    @Test
    @Tag("long")
    void plans_areTheBestOnes() throws IOException {
        List<Recorded> all = recorded();
        assertTrue(all.size() > 100);
        Set<String> worse = new TreeSet<>();
        for (Recorded each : all) {
            try (TestServer server = TestServer.start()) {
                assertEquals(
                        List.of(),
                        server.clusterState.apply(Messages.apply(each.objects)).getRefusalsList());
                SimulationGrpc.SimulationBlockingStub simulation = SimulationGrpc.newBlockingStub(server.channel);
                RebalanceResponse plan = simulation.rebalance(RebalanceRequest.getDefaultInstance());
                assertEquals(plan.getExcessAfter(), excessAfter(plan, simulation), each.id);
                assertTrue(plan.getExcessAfter() >= each.excess, each.id);
                if (plan.getExcessAfter() > each.excess || plan.getMovesCount() > each.moves) {
                    worse.add(each.id);
                } else {
                    assertEquals(each.moves, plan.getMovesCount(), each.id);
                    assertTrue(plan.getMinMoveCount() <= each.moves, each.id);
                }
            }
        }
        assertEquals(new TreeSet<>(WORSE), worse);
    }

    /** The excess once the moves are made in a session. */
    private static long excessAfter(RebalanceResponse plan, SimulationGrpc.SimulationBlockingStub simulation) {
        String session =
                simulation.openSession(OpenSessionRequest.getDefaultInstance()).getSession();
        ChangeSessionRequest.Builder moves = ChangeSessionRequest.newBuilder().setSession(session);
        for (PodMove move : plan.getMovesList()) {
            moves.addOperations(SessionOperation.newBuilder()
                    .setMovePod(MovePod.newBuilder().setPod(move.getPod()).setNode(plan.getNodes(move.getTo()))));
        }
        simulation.changeSession(moves.build());
        return simulation
                .rebalance(RebalanceRequest.newBuilder().setSession(session).build())
                .getExcessBefore();
    }
}
