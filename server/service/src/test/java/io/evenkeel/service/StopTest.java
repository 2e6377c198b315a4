package io.evenkeel.service;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SyncRequest;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.BlockingClientCall;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a server starts and stops. */
@Timeout(60)
final class StopTest {
    /** So long that a test fails if the server waits for it. */
    private static final Duration LONG = Duration.ofHours(1);

    private static final StopTimes WITHOUT_HURRY = new StopTimes(Duration.ZERO, LONG);

    private static final MethodDescriptor<FilterRequest, FilterResponse> HANGING =
            PlacementGrpc.getFilterMethod().toBuilder()
                    .setFullMethodName("test.Hanging/Hang")
                    .build();

    @Test
    void streams_endAtOnce_andSayThatTheServerStops() throws Exception {
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withStop(WITHOUT_HURRY))) {
            server.zones(2, 1);
            var evaluations = PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
            evaluations.write(TestServer.onStream(
                    1, EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build()));
            assertEquals(1, evaluations.read().getTag());
            var feed = ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
            feed.write(SyncRequest.newBuilder()
                    .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                    .build());
            assertTrue(feed.read().getRevision().getCounter() > 0);
            var health = HealthGrpc.newBlockingV2Stub(server.channel).watch(HealthCheckRequest.getDefaultInstance());
            assertEquals(ServingStatus.SERVING, health.read().getStatus());
            server.server.close();
            assertEquals(ServingStatus.NOT_SERVING, health.read().getStatus());
            for (BlockingClientCall<?, ?> stream : List.of(evaluations, feed, health)) {
                assertSaysThatTheServerStops(assertThrows(StatusException.class, stream::read));
            }
        }
    }

    private static void assertSaysThatTheServerStops(StatusException ended) throws InvalidProtocolBufferException {
        assertEquals(Status.Code.UNAVAILABLE, ended.getStatus().getCode());
        com.google.rpc.Status told = Objects.requireNonNull(StatusProto.fromThrowable(ended));
        assertEquals(
                "ERROR_REASON_STOPPING",
                told.getDetails(0).unpack(ErrorInfo.class).getReason());
    }

    @Test
    void lameDuck_answersOldAndNewConnections_whileItSaysThatItStops() throws Exception {
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withStop(new StopTimes(LONG, LONG)))) {
            server.zones(2, 1);
            var health = HealthGrpc.newBlockingV2Stub(server.channel)
                    .watch(HealthCheckRequest.newBuilder()
                            .setService(PlacementGrpc.SERVICE_NAME)
                            .build());
            assertEquals(ServingStatus.SERVING, health.read().getStatus());
            Thread stopping = new Thread(server.server::close);
            stopping.start();
            try {
                assertEquals(ServingStatus.NOT_SERVING, health.read().getStatus());
                assertEquals(1, server.placement.filter(filter(web(hard(ZONE)))).getAnswersCount());
                ManagedChannel other = NettyChannelBuilder.forAddress("127.0.0.1", server.server.port())
                        .usePlaintext()
                        .build();
                assertEquals(
                        1,
                        PlacementGrpc.newBlockingStub(other)
                                .filter(filter(web(hard(ZONE))))
                                .getAnswersCount());
                other.shutdownNow();
            } finally {
                stopping.interrupt();
                stopping.join();
            }
            assertThrows(StatusException.class, health::read);
        }
    }

    @Test
    void lameDuck_endsByItself_whenItsTimeIsUp() throws Exception {
        Duration lameDuck = Duration.ofSeconds(1);
        try (TestServer server =
                TestServer.start(ServerOptions.onLoopback(0).withStop(new StopTimes(lameDuck, LONG)))) {
            var health = HealthGrpc.newBlockingV2Stub(server.channel).watch(HealthCheckRequest.getDefaultInstance());
            assertEquals(ServingStatus.SERVING, health.read().getStatus());
            long begun = System.nanoTime();
            server.server.close();
            assertTrue(System.nanoTime() - begun >= lameDuck.toNanos(), "it stopped before its time");
            assertEquals(ServingStatus.NOT_SERVING, health.read().getStatus());
            assertSaysThatTheServerStops(assertThrows(StatusException.class, health::read));
        }
    }

    @Test
    void stop_endsCallsThatNeverAnswer_withinItsTime() throws Exception {
        StopTimes times = new StopTimes(Duration.ZERO, Duration.ofSeconds(2));
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withStop(times))) {
            server.zones(2, 1);
            CompletableFuture<StatusException> unanswered = halfAsked(server, PlacementGrpc.getFilterMethod());
            var stream = PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
            stream.write(TestServer.onStream(
                    1, EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build()));
            // The server has received both calls once it has answered a later one.
            assertEquals(1, stream.read().getTag());
            assertStopsWithin(Duration.ofSeconds(10), server.server);
            assertSaysThatTheServerStops(assertThrows(StatusException.class, stream::read));
            // On a busy machine, the connection may be closed before the status is sent.
            assertEquals(Status.Code.UNAVAILABLE, unanswered.get().getStatus().getCode());
        }
    }

    /** Makes a call that never sends the end of its request. Completes with the end of the call. */
    private static CompletableFuture<StatusException> halfAsked(
            TestServer server, MethodDescriptor<FilterRequest, FilterResponse> method) {
        ClientCall<FilterRequest, FilterResponse> call = server.channel.newCall(method, CallOptions.DEFAULT);
        CompletableFuture<StatusException> end = new CompletableFuture<>();
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(status.asException(trailers));
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage(filter(web(hard(ZONE))));
        return end;
    }

    private static void assertStopsWithin(Duration time, EvenkeelServer server) {
        long begun = System.nanoTime();
        server.close();
        long took = System.nanoTime() - begun;
        assertTrue(took < time.toNanos(), () -> "it took " + Duration.ofNanos(took));
    }

    /** For instance for lack of processor time, so that not even aborting its calls helps. */
    @Test
    void stop_returnsWithinItsTime_ifTheServerHangs() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        StopTimes times = new StopTimes(Duration.ZERO, Duration.ofMillis(500));
        try (TestServer server = TestServer.start(
                ServerOptions.onLoopback(0).withStop(times).withFurtherServices(hanging(begun, free)))) {
            CompletableFuture<StatusException> unanswered = halfAsked(server, HANGING);
            begun.await();
            assertStopsWithin(Duration.ofSeconds(5), server.server);
            free.countDown();
            assertEquals(Status.Code.UNAVAILABLE, unanswered.get().getStatus().getCode());
        } finally {
            free.countDown();
        }
    }

    /** Blocks the event loop of its caller until {@code free} opens. */
    private static BindableService hanging(CountDownLatch begun, CountDownLatch free) {
        return () -> ServerServiceDefinition.builder("test.Hanging")
                .addMethod(HANGING, (call, headers) -> {
                    begun.countDown();
                    try {
                        free.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return new ServerCall.Listener<>() {};
                })
                .build();
    }

    @Test
    void lameDuck_isPartOfTheTimeToStop() {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> new StopTimes(LONG.plusNanos(1), LONG));
        assertEquals("lameDuck must be at most stopWithin, PT1H, was PT1H0.000000001S", refused.getMessage());
    }

    @Test
    void timeForAborting_isPartOfTheTimeToStop_ifThereIsEnough() {
        StopTimes times = new StopTimes(Duration.ofSeconds(1), Duration.ofSeconds(3));
        assertEquals(Duration.ofMillis(400), times.forBreakingOff());
        assertEquals(Duration.ofMillis(1_600), times.forCalls());
        assertEquals(Duration.ofSeconds(1), WITHOUT_HURRY.forBreakingOff());
        assertEquals(LONG.minusSeconds(1), WITHOUT_HURRY.forCalls());
        StopTimes none = new StopTimes(LONG, LONG);
        assertEquals(Duration.ofMillis(100), none.forBreakingOff());
        assertEquals(Duration.ZERO, none.forCalls());
    }

    @Test
    void close_letsNoCallHang() throws Exception {
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withStop(WITHOUT_HURRY))) {
            Revision now = server.zones(2, 1).getRevision();
            CompletableFuture<FilterResponse> waiting =
                    server.ask(TestServer.demanding(TestServer.after(now, 100), filter(web(hard(ZONE)))));
            var stream = PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
            stream.write(TestServer.onStream(
                    1, EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build()));
            assertEquals(
                    1, stream.read().getResponse().getAnswers(0).getReadable().getPassedCount());
            // The server has received the waiting call once it has answered a later one.
            assertEquals(2, server.status().getNodeCount());
            server.server.close();
            ExecutionException refused = assertThrows(ExecutionException.class, waiting::get);
            assertEquals(
                    Status.Code.UNAVAILABLE,
                    assertInstanceOf(StatusRuntimeException.class, refused.getCause())
                            .getStatus()
                            .getCode());
            assertThrows(StatusException.class, stream::read);
            assertThrows(StatusRuntimeException.class, server::status);
        }
    }

    @Test
    void port_isTaken_whileAServerListensThere() throws Exception {
        try (EvenkeelServer first = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            assertThrows(IOException.class, () -> EvenkeelServer.start(ServerOptions.onLoopback(first.port())));
        }
        EvenkeelServer again = EvenkeelServer.start(ServerOptions.onLoopback(0));
        again.close();
        again.close();
        again.awaitTermination();
    }
}
