package io.evenkeel.service;

import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.SyncAndEvaluateRequest;
import io.evenkeel.v1.SyncAndEvaluateResponse;
import io.evenkeel.v1.SyncRequest;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests SyncAndEvaluate with a real server. */
@Timeout(60)
final class SyncAndEvaluateTest {
    private static final List<String> ZONES = List.of("a", "b", "c");

    private final TestServer server = TestServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    private BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> open() {
        return ClusterStateGrpc.newBlockingV2Stub(server.channel).syncAndEvaluate();
    }

    /** A stream that has fed one node in each zone. */
    private BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> fed() throws Exception {
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream = open();
        Objects.Builder nodes = Objects.newBuilder();
        ZONES.forEach(zone -> nodes.addObjects(ClusterObject.newBuilder().setNode(node(zone, zone))));
        stream.write(step(
                1,
                SyncRequest.newBuilder()
                        .setBeginSnapshot(BeginSnapshot.newBuilder().setFeeder("test"))));
        stream.write(step(2, SyncRequest.newBuilder().setObjects(nodes)));
        stream.write(step(3, SyncRequest.newBuilder().setEndSnapshot(EndSnapshot.getDefaultInstance())));
        for (int tag = 1; tag <= 3; tag++) {
            SyncAndEvaluateResponse response = stream.read();
            assertEquals(tag, response.getTag());
            assertEquals(0, response.getSync().getRefusalsCount());
        }
        return stream;
    }

    private static SyncAndEvaluateRequest step(long tag, SyncRequest.Builder step) {
        return SyncAndEvaluateRequest.newBuilder().setTag(tag).setSync(step).build();
    }

    private static SyncAndEvaluateRequest events(long tag, List<ClusterEvent> events) {
        return step(tag, SyncRequest.newBuilder().setEvents(Events.newBuilder().addAllEvents(events)));
    }

    private static ClusterEvent event(ClusterEvent.Type type, Pod pod) {
        return ClusterEvent.newBuilder()
                .setType(type)
                .setObject(ClusterObject.newBuilder().setPod(pod))
                .build();
    }

    private static SyncAndEvaluateRequest question(long tag, Pod pod) {
        return question(tag, EvaluateRequest.newBuilder().addPods(pod));
    }

    private static SyncAndEvaluateRequest question(long tag, EvaluateRequest.Builder request) {
        return SyncAndEvaluateRequest.newBuilder()
                .setTag(tag)
                .setRequest(request)
                .build();
    }

    private static Set<String> passed(SyncAndEvaluateResponse response) {
        return response.getResponse().getAnswers(0).getReadable().getBestList().stream()
                .map(NodeScore::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The nodes that a hard constraint with maxSkew 1 admits. */
    private static Set<String> passing(Map<String, String> podZones) {
        Map<String, Integer> counts = new HashMap<>();
        ZONES.forEach(zone -> counts.put(zone, 0));
        podZones.values().forEach(zone -> counts.merge(zone, 1, Integer::sum));
        int least = counts.values().stream().mapToInt(count -> count).min().orElseThrow();
        return ZONES.stream()
                .filter(zone -> counts.getOrDefault(zone, 0) - least < 1)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void answers_includeExactlyTheStepsBeforeThem_howeverManyAreUnderWay() throws Exception {
        Random random = new Random();
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream = fed();
        Map<String, String> podZones = new HashMap<>();
        List<Set<String>> expected = new ArrayList<>();
        int names = 0;
        for (int round = 0; round < 400; round++) {
            // More than 32 changes are applied by a pool.
            int changes = random.nextInt(10) == 0 ? 40 + random.nextInt(100) : random.nextInt(4);
            List<ClusterEvent> events = new ArrayList<>();
            for (int i = 0; i < changes; i++) {
                List<String> known = new ArrayList<>(podZones.keySet());
                if (!known.isEmpty() && random.nextInt(2) == 0) {
                    String name = known.get(random.nextInt(known.size()));
                    events.add(event(ClusterEvent.Type.TYPE_DELETED, pod(name, String.valueOf(podZones.remove(name)))));
                } else {
                    String name = "pod-" + names++;
                    podZones.put(name, ZONES.get(random.nextInt(ZONES.size())));
                    events.add(event(ClusterEvent.Type.TYPE_ADDED, pod(name, podZones.get(name))));
                }
            }
            stream.write(events(round, events));
            stream.write(question(round, web(hard(ZONE))));
            expected.add(passing(podZones));
        }
        stream.halfClose();
        for (int round = 0; round < expected.size(); round++) {
            SyncAndEvaluateResponse acknowledgement = stream.read();
            assertEquals(round, acknowledgement.getTag());
            assertEquals(0, acknowledgement.getSync().getRefusalsCount());
            SyncAndEvaluateResponse response = stream.read();
            assertEquals(round, response.getTag());
            assertEquals(expected.get(round), passed(response));
        }
        assertNull(stream.read());
    }

    @Test
    void refusedRequest_isAnsweredWithItsError_andTheStreamGoesOn() throws Exception {
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream = fed();
        stream.write(question(
                4,
                EvaluateRequest.newBuilder()
                        .addPods(web(hard(ZONE)))
                        .setOptions(QueryOptions.newBuilder()
                                .setCandidates(Candidates.newBuilder().setNodeSetId("404")))));
        SyncAndEvaluateResponse refused = stream.read();
        assertEquals(4, refused.getTag());
        assertEquals(
                ErrorReason.ERROR_REASON_NODE_SET_UNKNOWN, refused.getError().getReason());
        stream.write(question(5, web(hard(ZONE))));
        assertEquals(Set.copyOf(ZONES), passed(stream.read()));
    }

    @Test
    void refusedObject_isNamedInTheAcknowledgement_andTheOthersAreApplied() throws Exception {
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream = fed();
        stream.write(events(
                4,
                List.of(
                        event(ClusterEvent.Type.TYPE_ADDED, Pod.getDefaultInstance()),
                        event(ClusterEvent.Type.TYPE_ADDED, pod("web-1", "a")))));
        SyncAndEvaluateResponse acknowledgement = stream.read();
        assertEquals(1, acknowledgement.getSync().getAppliedCount());
        assertEquals(0, acknowledgement.getSync().getRefusals(0).getPosition());
        stream.write(question(5, web(hard(ZONE))));
        assertEquals(Set.of("b", "c"), passed(stream.read()));
    }

    private static void assertEnds(
            BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream, Status.Code code) {
        StatusException ended = assertThrows(StatusException.class, stream::read);
        assertEquals(code, ended.getStatus().getCode());
    }

    @Test
    void refusedStep_endsTheStream_andAQuestionBehindItIsNotAnswered() throws Exception {
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream = open();
        stream.write(events(1, List.of(event(ClusterEvent.Type.TYPE_ADDED, pod("web-1", "a")))));
        assertEnds(stream, Status.Code.FAILED_PRECONDITION);
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> empty = fed();
        empty.write(step(4, SyncRequest.newBuilder()));
        empty.write(question(5, web(hard(ZONE))));
        assertEnds(empty, Status.Code.INVALID_ARGUMENT);
    }

    @Test
    void messageWithoutAStepOrARequest_endsTheStream() throws Exception {
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream = fed();
        stream.write(SyncAndEvaluateRequest.newBuilder().setTag(4).build());
        assertEnds(stream, Status.Code.INVALID_ARGUMENT);
    }

    @Test
    void messageWithAStepAndARequest_endsTheStream() throws Exception {
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream = fed();
        stream.write(question(4, web(hard(ZONE))).toBuilder()
                .setSync(SyncRequest.newBuilder().setEvents(Events.getDefaultInstance()))
                .build());
        assertEnds(stream, Status.Code.INVALID_ARGUMENT);
    }

    @Test
    void otherStreamThatTakesOver_endsTheStream() throws Exception {
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream = fed();
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> other = fed();
        assertEnds(stream, Status.Code.ABORTED);
        other.write(question(4, web(hard(ZONE))));
        assertEquals(Set.copyOf(ZONES), passed(other.read()));
    }

    @Test
    void selectorOfOwners_givesTheAnswersThatTheOwnersThemselvesWouldGive() throws Exception {
        BlockingClientCall<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream = fed();
        stream.write(events(4, List.of(event(ClusterEvent.Type.TYPE_ADDED, pod("web-1", "a")))));
        stream.read();
        EvaluateRequest.Builder given = EvaluateRequest.newBuilder()
                .addPods(web())
                .setOptions(QueryOptions.newBuilder()
                        .setDefaults(DefaultConstraints.newBuilder()
                                .setType(DefaultConstraints.Type.TYPE_LIST)
                                .addConstraints(hard(ZONE).toBuilder().clearLabelSelector())
                                .setOwnersSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"))));
        stream.write(question(5, given));
        assertEquals(Set.of("b", "c"), passed(stream.read()));
        EvaluateRequest.Builder without = given.clone();
        without.getOptionsBuilder().getDefaultsBuilder().clearOwnersSelector();
        stream.write(question(6, without));
        assertEquals(Set.copyOf(ZONES), passed(stream.read()));
        ClusterEvent.Builder service = ClusterEvent.newBuilder().setType(ClusterEvent.Type.TYPE_ADDED);
        service.getObjectBuilder()
                .setService(Service.newBuilder()
                        .setMetadata(pod("web", "").getMetadata().toBuilder().setNamespace(NAMESPACE)));
        service.getObjectBuilder().getServiceBuilder().getSpecBuilder().putSelector("app", "web");
        stream.write(events(7, List.of(service.build())));
        stream.read();
        stream.write(question(8, without));
        assertEquals(Set.of("b", "c"), passed(stream.read()));
        given.getOptionsBuilder().getDefaultsBuilder().setOwnersSelector(LabelSelector.getDefaultInstance());
        stream.write(question(9, given));
        assertEquals(Set.copyOf(ZONES), passed(stream.read()));
        given.getOptionsBuilder().getDefaultsBuilder().clearConstraints().clearType();
        stream.write(question(10, given));
        assertEquals(
                "options.defaults.ownersSelector",
                stream.read().getError().getViolations(0).getField());
    }
}
