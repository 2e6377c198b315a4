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

import com.google.protobuf.Duration;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.Toleration;
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

    private BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> open() {
        return PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
    }

    @Test
    void requests_areAnsweredInOrder_whetherTheirPlansAreKnownOrNot() throws Exception {
        server.zones(2, 1, 1);
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream = open();
        int requests = 300;
        for (int i = 0; i < requests; i++) {
            Pod fresh = web(hard(ZONE)).toBuilder()
                    .setMetadata(pod("", "").getMetadata().toBuilder().putLabels("unique", "v" + i))
                    .build();
            stream.write(tagged(i, EvaluateRequest.newBuilder().addPods(i % 3 == 0 ? fresh : web(soft(HOSTNAME)))));
        }
        stream.halfClose();
        for (int i = 0; i < requests; i++) {
            EvaluateStreamResponse response = stream.read();
            assertEquals(i, response.getTag());
            assertEquals(
                    i % 3 == 0 ? 2 : 3,
                    response.getResponse().getAnswers(0).getReadable().getPassedCount());
        }
        assertNull(stream.read());
    }

    @Test
    void refusedRequest_isAnsweredWithItsError_andTheStreamGoesOn() throws Exception {
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream = open();
        EvaluateRequest good =
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();
        stream.write(tagged(1, good.toBuilder()));
        EvaluateStreamResponse tooEarly = stream.read();
        assertEquals(1, tooEarly.getTag());
        assertEquals(Status.Code.UNAVAILABLE.value(), tooEarly.getError().getCode());
        assertEquals(ErrorReason.ERROR_REASON_NOT_FED, tooEarly.getError().getReason());

        server.zones(2, 1);
        stream.write(with(
                good,
                QueryOptions.newBuilder().setCandidates(Candidates.newBuilder().setNodeSetId("404"))));
        assertEquals(
                ErrorReason.ERROR_REASON_NODE_SET_UNKNOWN,
                stream.read().getError().getReason());
        stream.write(with(good, QueryOptions.newBuilder().setFormValue(7)));
        assertEquals("options.form", stream.read().getError().getViolations(0).getField());
        stream.write(demanding(
                2,
                good,
                Revision.newBuilder().setInstance("another").setCounter(1).build()));
        assertEquals(
                ErrorReason.ERROR_REASON_OTHER_INSTANCE,
                stream.read().getError().getReason());
        stream.write(EvaluateStreamRequest.newBuilder()
                .setTag(3)
                .setRequest(good)
                .setTimeout(Duration.newBuilder().setSeconds(-1))
                .build());
        EvaluateStreamResponse negative = stream.read();
        assertEquals(3, negative.getTag());
        assertEquals("timeout", negative.getError().getViolations(0).getField());
        stream.write(tagged(4, good.toBuilder()));
        assertEquals(1, stream.read().getResponse().getAnswers(0).getReadable().getPassedCount());
        stream.halfClose();
        assertNull(stream.read());
    }

    @Test
    void request_waitsForTheRevisionThatItDemands_andTheNextOnesWaitBehindIt() throws Exception {
        Revision now = server.zones(1, 0).getRevision();
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream = open();
        EvaluateRequest request =
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();
        Revision next = TestServer.after(now, 1);
        stream.write(demanding(1, request, next));
        stream.write(tagged(2, request.toBuilder()));
        server.clusterState.apply(apply(List.of(object(pod("late", "z2")))));
        EvaluateStreamResponse waited = stream.read();
        assertEquals(1, waited.getTag());
        assertEquals(next, waited.getResponse().getRevision());
        assertEquals(2, waited.getResponse().getAnswers(0).getReadable().getPassedCount());
        assertEquals(2, stream.read().getTag());
        stream.cancel("done", null);
    }

    @Test
    void server_worksNoFurtherAheadThanTheReaderTakes() throws Exception {
        int nodes = 2_000;
        server.clusterState.apply(apply(IntStream.range(0, nodes)
                .mapToObj(i -> object(node("a-node-with-quite-a-long-name-" + i, "z" + i % 3)))
                .toList()));
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream = open();
        EvaluateStreamRequest large = with(
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build(),
                QueryOptions.newBuilder().setEveryNode(true));
        int requests = 400;
        for (int i = 0; i < requests; i++) {
            stream.write(large);
        }
        stream.halfClose();
        long furthest = 0;
        for (int read = 1; read <= requests; read++) {
            assertEquals(
                    nodes,
                    stream.read().getResponse().getAnswers(0).getReadable().getVerdictsCount());
            furthest = Math.max(furthest, server.server.instance().placement().podsJudged() - read);
        }
        // About 90 KB for each answer, a flow-control window of 1 MiB, and the buffers at both ends.
        assertTrue(furthest < 100, "ahead by " + furthest);
    }

    @Test
    void cancelledStream_leavesTheServerWell() throws Exception {
        Revision now = server.zones(1, 1).getRevision();
        List<BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse>> streams = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream = open();
            stream.write(demanding(
                    i, EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build(), TestServer.after(now, 1_000)));
            streams.add(stream);
        }
        streams.forEach(stream -> stream.cancel("changed my mind", null));
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> another = open();
        another.write(tagged(0, EvaluateRequest.newBuilder().addPods(pod(NAMESPACE, ""))));
        assertEquals(2, another.read().getResponse().getAnswers(0).getReadable().getPassedCount());
        another.halfClose();
    }

    @Test
    void requestWhoseTimeIsOver_isAnsweredSo_andThoseBehindItFollow() throws Exception {
        Revision now = server.zones(1, 0).getRevision();
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream = open();
        EvaluateRequest request =
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();
        stream.write(demanding(1, request, TestServer.after(now, 1_000)).toBuilder()
                .setTimeout(Duration.newBuilder().setNanos(1_000_000))
                .build());
        stream.write(tagged(2, request.toBuilder()));
        EvaluateStreamResponse late = stream.read();
        assertEquals(1, late.getTag());
        assertEquals(
                ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME, late.getError().getReason());
        assertEquals(2, stream.read().getTag());
        stream.write(EvaluateStreamRequest.newBuilder()
                .setTag(3)
                .setRequest(EvaluateRequest.newBuilder().addAllPods(unknownPods()))
                .setTimeout(Duration.newBuilder().setNanos(1))
                .build());
        EvaluateStreamResponse timedOut = stream.read();
        assertEquals(3, timedOut.getTag());
        assertEquals(ErrorReason.ERROR_REASON_TIMED_OUT, timedOut.getError().getReason());
        assertEquals(Status.Code.DEADLINE_EXCEEDED.value(), timedOut.getError().getCode());
        stream.halfClose();
        assertNull(stream.read());
    }

    @Test
    void limitThatIsNotValid_isRefused_beforeTheRequestWaitsForARevision() throws Exception {
        Revision now = server.zones(1, 0).getRevision();
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream = open();
        EvaluateRequest request =
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();
        stream.write(demanding(1, request, TestServer.after(now, 1_000)).toBuilder()
                .setTimeout(Duration.newBuilder().setNanos(-1))
                .build());
        assertEquals("timeout", stream.read().getError().getViolations(0).getField());
        stream.halfClose();
        assertNull(stream.read());
    }

    @Test
    void requestOfTooManyParts_isAnsweredByARefusal_andTheStreamGoesOn() throws Exception {
        server.zones(1, 0);
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream = open();
        Pod.Builder large = web(hard(ZONE)).toBuilder();
        for (int i = 0; i < RequestParts.MAX_PARTS; i++) {
            large.getSpecBuilder().addTolerations(Toleration.getDefaultInstance());
        }
        stream.write(tagged(-7, EvaluateRequest.newBuilder().addPods(large)));
        stream.write(tagged(8, EvaluateRequest.newBuilder().addPods(web(hard(ZONE)))));
        EvaluateStreamResponse refused = stream.read();
        assertEquals(-7, refused.getTag());
        assertEquals(ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, refused.getError().getReason());
        EvaluateStreamResponse answered = stream.read();
        assertEquals(8, answered.getTag());
        assertEquals(1, answered.getResponse().getAnswersCount());
        stream.halfClose();
        assertNull(stream.read());
    }

    @Test
    void demandsThatNoFeedCanMeet_areAnsweredSoAtOnce_andThoseBehindThemFollow() throws Exception {
        server.zones(1, 0);
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream = open();
        EvaluateRequest request =
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();
        KindVersion version = KindVersion.newBuilder()
                .setKind(ObjectKind.OBJECT_KIND_POD)
                .setResourceVersion("7")
                .build();
        stream.write(tagged(
                1, request.toBuilder().setFreshness(Freshness.newBuilder().addResourceVersions(version))));
        stream.write(tagged(
                2,
                request.toBuilder()
                        .setFreshness(Freshness.newBuilder()
                                .setMaxAge(Duration.newBuilder().setSeconds(75)))));
        stream.write(tagged(3, request.toBuilder()));
        for (int tag = 1; tag <= 2; tag++) {
            EvaluateStreamResponse refused = stream.read();
            assertEquals(tag, refused.getTag());
            assertEquals(
                    ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                    refused.getError().getReason());
            assertEquals(
                    Status.Code.FAILED_PRECONDITION.value(), refused.getError().getCode());
        }
        assertEquals(1, stream.read().getResponse().getAnswersCount());
        stream.halfClose();
        assertNull(stream.read());
    }

    /** Too many to be answered at once. */
    private static List<Pod> unknownPods() {
        return IntStream.range(0, 500)
                .mapToObj(i -> web(hard(ZONE)).toBuilder()
                        .setMetadata(pod("", "").getMetadata().toBuilder().putLabels("unique", "w" + i))
                        .build())
                .toList();
    }

    private static EvaluateStreamRequest tagged(long tag, EvaluateRequest.Builder request) {
        return EvaluateStreamRequest.newBuilder()
                .setTag(tag)
                .setRequest(request)
                .build();
    }

    private static EvaluateStreamRequest with(EvaluateRequest request, QueryOptions.Builder options) {
        return tagged(0, request.toBuilder().setOptions(options));
    }

    private static EvaluateStreamRequest demanding(long tag, EvaluateRequest request, Revision revision) {
        return tagged(
                tag, request.toBuilder().setFreshness(Freshness.newBuilder().setRevision(revision)));
    }
}
