package io.evenkeel.service;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.grpc.Status;
import io.grpc.stub.BlockingClientCall;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests EvaluateStream with a real server. */
final class EvaluateStreamTest {
    private final TestServer server = TestServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    private BlockingClientCall<EvaluateRequest, EvaluateResponse> open() {
        return PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
    }

    @Test
    void requests_areAnsweredInOrder_whetherTheirPlansAreKnownOrNot() throws Exception {
        server.zones(2, 1, 1);
        BlockingClientCall<EvaluateRequest, EvaluateResponse> stream = open();
        int requests = 300;
        for (int i = 0; i < requests; i++) {
            Pod fresh = web(hard(ZONE)).toBuilder()
                    .setMetadata(pod("", "").getMetadata().toBuilder().putLabels("unique", "v" + i))
                    .build();
            stream.write(EvaluateRequest.newBuilder()
                    .setRequestId(i)
                    .addPods(i % 3 == 0 ? fresh : web(soft(HOSTNAME)))
                    .build());
        }
        stream.halfClose();
        for (int i = 0; i < requests; i++) {
            EvaluateResponse response = stream.read();
            assertEquals(i, response.getRequestId());
            assertEquals(i % 3 == 0 ? 2 : 3, response.getAnswers(0).getPassed());
        }
        assertNull(stream.read());
    }

    @Test
    void refusedRequest_isAnsweredWithItsError_andTheStreamGoesOn() throws Exception {
        BlockingClientCall<EvaluateRequest, EvaluateResponse> stream = open();
        EvaluateRequest good =
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();
        stream.write(good.toBuilder().setRequestId(1).build());
        EvaluateResponse tooEarly = stream.read();
        assertEquals(1, tooEarly.getRequestId());
        assertEquals(Status.Code.UNAVAILABLE.value(), tooEarly.getError().getCode());

        server.zones(2, 1);
        stream.write(with(
                good,
                QueryOptions.newBuilder().setCandidates(Candidates.newBuilder().setNodeSet(404))));
        assertEquals(Status.Code.NOT_FOUND.value(), stream.read().getError().getCode());
        stream.write(with(good, QueryOptions.newBuilder().setFormValue(7)));
        assertEquals("options.form", stream.read().getError().getViolations(0).getField());
        stream.write(with(
                good,
                QueryOptions.newBuilder()
                        .setAtLeast(Revision.newBuilder().setInstance("another").setCounter(1))));
        assertEquals(
                Status.Code.FAILED_PRECONDITION.value(),
                stream.read().getError().getCode());
        stream.write(good);
        assertEquals(1, stream.read().getAnswers(0).getPassed());
        stream.halfClose();
        assertNull(stream.read());
    }

    @Test
    void request_waitsForTheRevisionThatItDemands_andTheNextOnesWaitBehindIt() throws Exception {
        Revision now = server.zones(1, 0).getRevision();
        BlockingClientCall<EvaluateRequest, EvaluateResponse> stream = open();
        EvaluateRequest request =
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();
        Revision next = TestServer.after(now, 1);
        stream.write(with(request, QueryOptions.newBuilder().setAtLeast(next)).toBuilder()
                .setRequestId(1)
                .build());
        stream.write(request.toBuilder().setRequestId(2).build());
        server.clusterState.apply(apply(List.of(object(pod("late", "z2")))));
        EvaluateResponse waited = stream.read();
        assertEquals(1, waited.getRequestId());
        assertEquals(next, waited.getRevision());
        assertEquals(2, waited.getAnswers(0).getPassed());
        assertEquals(2, stream.read().getRequestId());
        stream.cancel("done", null);
    }

    @Test
    void server_worksNoFurtherAheadThanTheReaderTakes() throws Exception {
        int nodes = 2_000;
        server.clusterState.apply(apply(IntStream.range(0, nodes)
                .mapToObj(i -> object(node("a-node-with-quite-a-long-name-" + i, "z" + i % 3)))
                .toList()));
        BlockingClientCall<EvaluateRequest, EvaluateResponse> stream = open();
        EvaluateRequest large = with(
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build(),
                QueryOptions.newBuilder().setEveryNode(true));
        int requests = 400;
        for (int i = 0; i < requests; i++) {
            stream.write(large);
        }
        stream.halfClose();
        long furthest = 0;
        for (int read = 1; read <= requests; read++) {
            assertEquals(nodes, stream.read().getAnswers(0).getNodesCount());
            furthest = Math.max(furthest, server.server.instance().placement().podsJudged() - read);
        }
        // About 90 KB an answer, 1 MiB of flow control window, and what the buffers of both ends hold.
        assertTrue(furthest < 100, "ahead by " + furthest);
    }

    @Test
    void cancelledStream_leavesTheServerWell() throws Exception {
        Revision now = server.zones(1, 1).getRevision();
        List<BlockingClientCall<EvaluateRequest, EvaluateResponse>> streams = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            BlockingClientCall<EvaluateRequest, EvaluateResponse> stream = open();
            stream.write(with(
                    EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build(),
                    QueryOptions.newBuilder().setAtLeast(TestServer.after(now, 1_000))));
            streams.add(stream);
        }
        streams.forEach(stream -> stream.cancel("changed my mind", null));
        BlockingClientCall<EvaluateRequest, EvaluateResponse> another = open();
        another.write(EvaluateRequest.newBuilder().addPods(pod(NAMESPACE, "")).build());
        assertEquals(2, another.read().getAnswers(0).getPassed());
        another.halfClose();
    }

    private static EvaluateRequest with(EvaluateRequest request, QueryOptions.Builder options) {
        return request.toBuilder().setOptions(options).build();
    }
}
