package io.evenkeel.service;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.added;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.access.LoggedLines;
import io.evenkeel.engine.Await;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Compressor;
import io.grpc.CompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.BlockingClientCall;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the bounds on what callers make a server hold, with a real server. */
@Timeout(60)
final class OpenCallsTest {
    private static final int MIB = 1 << 20;
    private static final String EXPLAIN = "evenkeel.v1.Placement/Explain";

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private TestServer server = start(Duration.ofMinutes(1));

    private TestServer start(Duration stalledAfter) {
        return TestServer.start(ServerOptions.onLoopback(0)
                .withMeters(meters)
                .withTransport(TransportLimits.DEFAULT
                        .withBytesInFlight(ServerOptions.DEFAULT_MAX_MESSAGE_BYTES)
                        .withStalledAfter(stalledAfter)
                        .withConnections(8)));
    }

    private void restart(Duration stalledAfter) {
        server.close();
        server = start(stalledAfter);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void messageLeftHalfSent_endsItsCall() throws Exception {
        restart(Duration.ofSeconds(2));
        server.zones(1, 1);
        try (RawCalls calls = new RawCalls(server.server.port())) {
            int unary = calls.begin(EXPLAIN, MIB, MIB / 16);
            int stream = calls.begin("evenkeel.v1.Placement/EvaluateStream", MIB, MIB / 16);
            int feed = calls.begin("evenkeel.v1.ClusterState/Sync", 1, 0);
            calls.awaitEnds(Set.of(unary, stream, feed));
        }
        assertEquals(3, refusals("stalled"));
        awaitNothingHeld();
        assertEquals(
                2,
                server.placement
                        .filter(filter(web(hard(ZONE))))
                        .getAnswers(0)
                        .getReadable()
                        .getPassedCount());
    }

    /** Otherwise an unauthenticated client could fill the memory with rejected calls. */
    @Test
    void callThatTheClientLeavesOpen_isLetGo_afterTheServerHasEndedIt() throws Exception {
        try (RawCalls calls = new RawCalls(server.server.port())) {
            int going = calls.begin("evenkeel.v1.ClusterState/Sync", MIB, 1);
            int unknown = calls.begin("evenkeel.v1.Placement/Unknown", 1, 0);
            calls.awaitEnd(unknown);
            assertEquals(Status.Code.UNIMPLEMENTED.value(), calls.status(unknown));
            calls.awaitReset(unknown);
            assertFalse(calls.isEnded(going));
        }
    }

    /** A call whose end throws. */
    @Test
    void faultInOneCall_doesNotKeepOthersFromTheirEnd() throws Exception {
        TransportLimits limits = TransportLimits.DEFAULT.withStalledAfter(Duration.ofMillis(80));
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (OpenCalls calls = new OpenCalls(limits, new RefusalMetrics(meters), meters)) {
            CountDownLatch failed = begin(calls, () -> {
                throw new IllegalStateException("this call cannot be ended");
            });
            failed.await();
            begin(calls, () -> {}).await();
        }
    }

    /** Begins a call whose request never arrives. The latch opens when the server ends the call. */
    private static CountDownLatch begin(OpenCalls calls, Runnable whenEnded) {
        CountDownLatch ended = new CountDownLatch(1);
        OpenCall call = (OpenCall)
                calls.newServerStreamTracer(PlacementGrpc.getExplainMethod().getFullMethodName(), new Metadata());
        OpenCall.Guarded<?, ?> unused = call.guard(new ServerCall<ExplainRequest, ExplainResponse>() {
            @Override
            public void request(int messages) {}

            @Override
            public void sendHeaders(Metadata headers) {}

            @Override
            public void sendMessage(ExplainResponse message) {}

            @Override
            public void close(Status status, Metadata trailers) {
                ended.countDown();
                whenEnded.run();
            }

            @Override
            public boolean isCancelled() {
                return false;
            }

            @Override
            public MethodDescriptor<ExplainRequest, ExplainResponse> getMethodDescriptor() {
                return PlacementGrpc.getExplainMethod();
            }
        });
        return ended;
    }

    @Test
    void bytesThatNoOneFinishes_areBounded_andOthersAreServed() throws Exception {
        server.zones(1, 1);
        try (RawCalls many = new RawCalls(server.server.port());
                RawCalls late = new RawCalls(server.server.port())) {
            for (int i = 0; i < 15; i++) {
                many.begin(EXPLAIN, 2 * MIB, MIB);
            }
            // Until all of these are read, any of them could fail for lack of room.
            Await.until(() -> held() >= 15 * (MIB - (8 << 10)));
            int oneTooMany = late.begin(EXPLAIN, 4 * MIB, 3 * MIB);
            late.awaitEnd(oneTooMany);
            assertEquals(1, refusals("bytes"));
            StatusRuntimeException refused =
                    assertThrows(StatusRuntimeException.class, () -> server.placement.explain(large()));
            assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
            assertEquals(ErrorReason.ERROR_REASON_TOO_BUSY, CallReasonsTest.reasonOf(refused));
            assertTrue(
                    String.valueOf(refused.getStatus().getDescription())
                            .startsWith("requests and answers in progress are limited to 16777216 bytes in total"),
                    refused.getStatus().toString());
            assertEquals(
                    2,
                    server.placement
                            .filter(filter(web(hard(ZONE))))
                            .getAnswers(0)
                            .getReadable()
                            .getPassedCount());
            assertEquals(2, server.status().getNodeCount());
            // Feeds have a separate budget.
            List<ClusterObject> pods = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                pods.add(object(pod("pod-" + i, "z1")));
            }
            assertEquals(5_000, server.clusterState.apply(apply(pods)).getAppliedCount());
        }
        awaitNothingHeld();
        assertEquals(2, server.placement.explain(large()).getCandidateCount());
    }

    @Test
    void bytesThatComeTogether_areNotAllRefused_ifRoomIsMadeByTheFirstRefusal() throws Exception {
        server.zones(1, 1);
        try (RawCalls many = new RawCalls(server.server.port())) {
            List<Integer> begun = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                begun.add(many.begin(EXPLAIN, 2 * MIB, MIB));
            }
            // 4 KiB of each call are uncounted, so 64 KiB remain.
            many.sendTogether(begun.subList(0, 8), 12 << 10);
            many.awaitEnd(many.begin("evenkeel.v1.Placement/Nothing", 0, 0));
            assertEquals(1, refusals("bytes"));
        }
        awaitNothingHeld();
    }

    @Test
    void answerThatFindsNoRoom_isRefused_onAStreamAlone_andTheStreamGoesOn() throws Exception {
        server.clusterState.apply(apply(IntStream.range(0, 2_000)
                .mapToObj(i -> object(node("a-node-with-quite-a-long-name-" + i, "z1")))
                .toList()));
        EvaluateRequest large = EvaluateRequest.newBuilder()
                .addPods(web(hard(ZONE)))
                .setOptions(QueryOptions.newBuilder().setEveryNode(true))
                .build();
        EvaluateRequest small = large.toBuilder().clearOptions().build();
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream =
                PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
        String why = "requests and answers in progress are limited to 16777216 bytes in total, and this answer needs"
                + " more than is left: retry later";
        try (RawCalls many = new RawCalls(server.server.port())) {
            for (int i = 0; i < 16; i++) {
                many.begin(EXPLAIN, 2 * MIB, MIB);
            }
            // 4 KiB of each call are uncounted.
            Await.until(() -> held() >= 16 * (MIB - (4 << 10)));
            StatusRuntimeException refused =
                    assertThrows(StatusRuntimeException.class, () -> server.placement.evaluate(large));
            assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
            assertEquals(ErrorReason.ERROR_REASON_TOO_BUSY, CallReasonsTest.reasonOf(refused));
            assertEquals(why, refused.getStatus().getDescription());
            assertEquals(
                    2_000,
                    server.placement.evaluate(small).getAnswers(0).getReadable().getPassedCount());

            stream.write(TestServer.onStream(7, large));
            EvaluateStreamResponse item = stream.read();
            assertEquals(7, item.getTag());
            assertEquals(ErrorReason.ERROR_REASON_TOO_BUSY, item.getError().getReason());
            assertEquals(why, item.getError().getMessage());
            assertEquals(2, refusals("bytes"));
            stream.write(TestServer.onStream(8, small));
            assertEquals(
                    2_000,
                    stream.read().getResponse().getAnswers(0).getReadable().getPassedCount());
        }
        awaitNothingHeld();
        stream.write(TestServer.onStream(9, large));
        assertEquals(
                2_000, stream.read().getResponse().getAnswers(0).getReadable().getVerdictsCount());
        stream.halfClose();
        assertNull(stream.read());
        awaitNothingHeld();
    }

    @Test
    void streamWhoseAnswersAreRead_continues_afterMoreBytesThanMayBeHeld_andHoldsNothingAtRest() throws Exception {
        server.clusterState.apply(apply(IntStream.range(0, 2_000)
                .mapToObj(i -> object(node("a-node-with-quite-a-long-name-" + i, "z1")))
                .toList()));
        EvaluateRequest large = EvaluateRequest.newBuilder()
                .addPods(web(hard(ZONE)))
                .setOptions(QueryOptions.newBuilder().setEveryNode(true))
                .build();
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream =
                PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
        long read = 0;
        while (read < 2L * ServerOptions.DEFAULT_MAX_MESSAGE_BYTES) {
            stream.write(TestServer.onStream(read, large));
            EvaluateStreamResponse answer = stream.read();
            assertEquals(
                    1, answer.getResponse().getAnswersCount(), answer.getError().getMessage());
            read += answer.getSerializedSize();
        }
        assertEquals(0, refusals("bytes"));
        awaitNothingHeld();
        stream.halfClose();
        assertNull(stream.read());
    }

    @Test
    void compressedRequests_areReadIfTheyAreSmall() throws Exception {
        server.zones(1, 1);
        var compressed = server.placement.withCompression("gzip");
        assertEquals(
                2,
                compressed
                        .filter(filter(web(hard(ZONE))))
                        .getAnswers(0)
                        .getReadable()
                        .getPassedCount());
        StatusRuntimeException refused = assertThrows(StatusRuntimeException.class, () -> compressed.explain(large()));
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
        assertEquals(ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, CallReasonsTest.reasonOf(refused));
        assertEquals(
                "a compressed request must have at most 262144 bytes when inflated: send it uncompressed"
                        + " or in parts",
                refused.getStatus().getDescription());
        assertEquals(2, server.placement.explain(large()).getCandidateCount());
        awaitNothingHeld();
    }

    @Test
    void acknowledgementsLeftUnread_endTheStream_withAStatusThatSaysSo() throws Exception {
        restart(Duration.ofSeconds(5));
        ManagedChannel narrow = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.server.port()))
                .usePlaintext()
                .flowControlWindow(512)
                .build();
        try {
            ClientCall<SyncRequest, SyncResponse> call =
                    narrow.newCall(ClusterStateGrpc.getSyncMethod(), CallOptions.DEFAULT);
            AtomicInteger read = new AtomicInteger();
            CompletableFuture<StatusRuntimeException> ended = new CompletableFuture<>();
            call.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onMessage(SyncResponse acknowledgement) {
                            read.incrementAndGet();
                        }

                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            ended.complete(status.asRuntimeException(trailers));
                        }
                    },
                    new Metadata());
            call.sendMessage(SyncRequest.newBuilder()
                    .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                    .build());
            int sent = 200;
            for (int i = 0; i < sent; i++) {
                call.sendMessage(SyncRequest.newBuilder()
                        .setEvents(Events.newBuilder().addEvents(added(object(pod("pod-" + i, "z1")))))
                        .build());
            }
            Await.until(() -> server.isSnapshotInProgress());
            Await.until(() -> !server.isSnapshotInProgress());
            assertFalse(ended.isDone());
            call.request(sent + 2);
            assertEquals(ErrorReason.ERROR_REASON_ANSWERS_UNREAD, CallReasonsTest.reasonOf(ended.get()));
            Status status = ended.get().getStatus();
            assertEquals(Status.Code.ABORTED, status.getCode());
            assertEquals("answers were not read within PT5S: read them as they arrive", status.getDescription());
            assertTrue(read.get() < sent, read + " read");
        } finally {
            narrow.shutdownNow();
        }
    }

    @Test
    void callWithoutItsRequest_endsWithAStatusThatSaysSo() throws Exception {
        restart(Duration.ofSeconds(2));
        // The client delays the headers of a unary call until its request is there.
        ClientCall<EvaluateRequest, EvaluateResponse> call = server.channel.newCall(
                PlacementGrpc.getEvaluateMethod().toBuilder()
                        .setType(MethodDescriptor.MethodType.CLIENT_STREAMING)
                        .build(),
                CallOptions.DEFAULT);
        CompletableFuture<StatusRuntimeException> ended = new CompletableFuture<>();
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ended.complete(status.asRuntimeException(trailers));
                    }
                },
                new Metadata());
        assertEquals(ErrorReason.ERROR_REASON_REQUEST_STALLED, CallReasonsTest.reasonOf(ended.get()));
        Status status = ended.get().getStatus();
        assertEquals(Status.Code.DEADLINE_EXCEEDED, status.getCode());
        assertEquals(
                "the request was not sent completely within PT2S plus a second for each 128 KiB",
                status.getDescription());
    }

    @Test
    void loneAnswerLeftUnread_endsTheStream_andGivesItsRoomBack() throws Exception {
        restart(Duration.ofSeconds(2));
        server.clusterState.apply(apply(IntStream.range(0, 2_000)
                .mapToObj(i -> object(node("a-node-with-quite-a-long-name-" + i, "z1")))
                .toList()));
        ManagedChannel narrow = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.server.port()))
                .usePlaintext()
                .flowControlWindow(512)
                .build();
        try {
            ClientCall<EvaluateStreamRequest, EvaluateStreamResponse> call =
                    narrow.newCall(PlacementGrpc.getEvaluateStreamMethod(), CallOptions.DEFAULT);
            call.start(new ClientCall.Listener<>() {}, new Metadata());
            call.sendMessage(TestServer.onStream(
                    1,
                    EvaluateRequest.newBuilder()
                            .addPods(web(hard(ZONE)))
                            .setOptions(QueryOptions.newBuilder().setEveryNode(true))
                            .build()));
            Await.until(() -> refusals("stalled") != 0);
            awaitNothingHeld();
        } finally {
            narrow.shutdownNow();
        }
    }

    @Test
    void connectionBeyondTheMost_isReported() throws Exception {
        server.status();
        List<ManagedChannel> others = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            others.add(anotherConnection());
            ClusterStateGrpc.newBlockingStub(others.get(i)).getStatus(GetStatusRequest.getDefaultInstance());
        }
        ManagedChannel late = anotherConnection();
        try {
            StatusRuntimeException refused = assertThrows(
                    StatusRuntimeException.class,
                    () -> ClusterStateGrpc.newBlockingStub(late).getStatus(GetStatusRequest.getDefaultInstance()));
            assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
            assertEquals(ErrorReason.ERROR_REASON_TOO_BUSY, CallReasonsTest.reasonOf(refused));
            assertEquals(
                    "the server already has 8 connections: reconnect later",
                    refused.getStatus().getDescription());
            assertEquals(1, refusals("connections"));
            server.status();
        } finally {
            late.shutdownNow();
            others.forEach(ManagedChannel::shutdownNow);
        }
    }

    private ManagedChannel anotherConnection() {
        return NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.server.port()))
                .usePlaintext()
                .build();
    }

    /** Anyone can check health, even callers without any rights. */
    @Test
    void healthWatches_areFewOnAConnection_andMakeRoomWhenTheyEnd() throws Exception {
        List<BlockingClientCall<?, HealthCheckResponse>> watches = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            watches.add(watch());
            assertEquals(ServingStatus.SERVING, watches.get(i).read().getStatus());
        }
        StatusException refused = assertThrows(StatusException.class, () -> watch().read());
        assertEquals(ErrorReason.ERROR_REASON_TOO_BUSY, CallReasonsTest.reasonOf(refused));
        assertEquals(
                "calls that need no permission are limited on each connection, and this connection has 16 of them: retry later",
                refused.getStatus().getDescription());
        assertEquals(1, refusals("calls"));
        watches.get(3).cancel("enough", null);
        HealthCheckResponse again = null;
        while (again == null) {
            try {
                again = watch().read();
            } catch (StatusException notYet) {
                assertEquals(Status.Code.RESOURCE_EXHAUSTED, notYet.getStatus().getCode());
            }
        }
        assertEquals(ServingStatus.SERVING, again.getStatus());
        ManagedChannel other = anotherConnection();
        assertEquals(
                ServingStatus.SERVING,
                HealthGrpc.newBlockingStub(other)
                        .check(HealthCheckRequest.getDefaultInstance())
                        .getStatus());
        other.shutdownNow();
    }

    /** Requests of unauthenticated callers must neither fill the memory nor use up the budget of queries. */
    @Test
    void largeHealthRequests_areRefused_andTakeNoRoomFromQueries() throws Exception {
        String large = "s".repeat(1 << 20);
        for (String encoding : List.of("identity", "gzip")) {
            HealthGrpc.HealthBlockingV2Stub health =
                    HealthGrpc.newBlockingV2Stub(server.channel).withCompression(encoding);
            BlockingClientCall<?, HealthCheckResponse> watch = health.watch(request(large));
            StatusException refused = assertThrows(StatusException.class, watch::read, encoding);
            assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
            StatusException unanswered = assertThrows(StatusException.class, () -> health.check(request(large)));
            assertEquals(Status.Code.RESOURCE_EXHAUSTED, unanswered.getStatus().getCode());
        }
        BlockingClientCall<?, HealthCheckResponse> watch =
                HealthGrpc.newBlockingV2Stub(server.channel).watch(request("s".repeat(20_000)));
        assertEquals(ServingStatus.SERVICE_UNKNOWN, watch.read().getStatus());
        assertEquals(0, held());
    }

    @Test
    void requestsThatCannotBeInflated_areMalformed_andLogNothing() throws Exception {
        byte[] whole = {31, -117, 8, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        byte[] wrongSum = whole.clone();
        wrongSum[12] = 1;
        try (LoggedLines lines = new LoggedLines()) {
            for (byte[] sent :
                    List.of("no gzip at all".getBytes(StandardCharsets.UTF_8), Arrays.copyOf(whole, 11), wrongSum)) {
                CompressorRegistry own = CompressorRegistry.newEmptyInstance();
                own.register(new Sending(sent));
                ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.server.port())
                        .usePlaintext()
                        .compressorRegistry(own)
                        .build();
                try {
                    StatusRuntimeException health = assertThrows(
                            StatusRuntimeException.class,
                            () -> HealthGrpc.newBlockingStub(channel)
                                    .withCompression("gzip")
                                    .check(request("of some length")));
                    assertEquals(
                            Status.Code.INVALID_ARGUMENT, health.getStatus().getCode(), health::toString);
                    StatusRuntimeException filter = assertThrows(
                            StatusRuntimeException.class,
                            () -> PlacementGrpc.newBlockingStub(channel)
                                    .withCompression("gzip")
                                    .filter(filter(web(hard(ZONE)))));
                    assertEquals(ErrorReason.ERROR_REASON_MALFORMED_REQUEST, CallReasonsTest.reasonOf(filter));
                } finally {
                    channel.shutdownNow();
                }
            }
            assertEquals(List.of(), lines.with("Exception while executing"));
        }
    }

    /** Sends the same bytes, whatever the message is. */
    private static final class Sending implements Compressor {
        private final byte[] bytes;

        Sending(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public String getMessageEncoding() {
            return "gzip";
        }

        @Override
        public OutputStream compress(OutputStream to) throws IOException {
            to.write(bytes);
            return new OutputStream() {
                @Override
                public void write(int ignored) {}
            };
        }
    }

    private static HealthCheckRequest request(String service) {
        return HealthCheckRequest.newBuilder().setService(service).build();
    }

    private BlockingClientCall<?, HealthCheckResponse> watch() {
        return HealthGrpc.newBlockingV2Stub(server.channel).watch(HealthCheckRequest.getDefaultInstance());
    }

    /** More than a MiB. */
    private static ExplainRequest large() {
        Pod.Builder pod = web(hard(ZONE)).toBuilder();
        for (int i = 0; i < 9_900; i++) {
            pod.getMetadataBuilder().putLabels("a.name.of.many.letters/label-" + "y".repeat(40) + i, "x".repeat(63));
        }
        return ExplainRequest.newBuilder().setPod(pod).build();
    }

    private double refusals(String why) {
        return meters.get("evenkeel.server.refusals").tag("why", why).counter().count();
    }

    private void awaitNothingHeld() throws InterruptedException {
        Await.until(() -> held() <= 0);
    }

    private double held() {
        return meters.get("evenkeel.server.bytes").tag("of", "queries").gauge().value();
    }
}
