package io.evenkeel.service;

import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class OverloadTest {
    private static final long MILLI = 1_000_000;

    /** The rule by itself, with a clock that the test sets. */
    @Nested
    final class Rule {
        private long now = Long.MAX_VALUE - 50 * MILLI;
        private final Overload overload = new Overload(() -> now);

        private boolean refuses(int waiting) {
            return overload.refuses("a", waiting);
        }

        @Test
        void burst_isNoOverload() {
            for (int i = 0; i < 100; i++) {
                overload.queueBegins();
                now += 99 * MILLI;
                assertFalse(refuses(1_000));
            }
        }

        @Test
        void usualNumberOfCallsInFlight_isNoOverload() {
            overload.queueBegins();
            now += 10_000 * MILLI;
            assertFalse(refuses(Overload.USUAL));
            assertTrue(refuses(Overload.USUAL + 1));
        }

        @Test
        void connectionThatLetsTheQueueStand_isRefused_untilFewOfItsTasksHaveWaitedForSomeTime_andNoOtherIs() {
            overload.queueBegins();
            now += 100 * MILLI;
            assertTrue(refuses(17));
            overload.queueBegins();
            now += 100 * MILLI;
            assertTrue(refuses(3), "refusing tasks empties the queue");
            assertFalse(overload.refuses("b", 3));
            now += 101 * MILLI;
            assertFalse(refuses(3));
        }

        @Test
        void longTasks_haveMoreTime_andTheDelayGrowsWithThem() {
            for (int i = 0; i < 1_000; i++) {
                overload.ran(200 * MILLI);
            }
            overload.queueBegins();
            now += 1_900 * MILLI;
            assertFalse(refuses(100));
            now += 100 * MILLI;
            assertTrue(refuses(100));
            assertEquals(1_999, overload.delay(1, 1).toMillis());
            assertEquals(4, overload.delay(41, 2).toSeconds());
            assertEquals(Duration.ofSeconds(10), overload.delay(1_000, 1));
        }
    }

    /** Has many explanations in flight at the same time, and repeats each as soon as it has ended. */
    private static final class Greedy {
        private final PlacementGrpc.PlacementStub placement;
        private final CountDownLatch running;
        private final AtomicInteger refused = new AtomicInteger();
        private final CompletableFuture<Throwable> firstRefusal = new CompletableFuture<>();
        private volatile boolean stopped;

        Greedy(ManagedChannel channel, int inFlight) {
            placement = PlacementGrpc.newStub(channel);
            running = new CountDownLatch(inFlight);
            for (int i = 0; i < inFlight; i++) {
                ask();
            }
        }

        private void ask() {
            placement.explain(ExplainRequest.newBuilder().setPod(web()).build(), new StreamObserver<>() {
                @Override
                public void onNext(ExplainResponse response) {}

                @Override
                public void onError(Throwable error) {
                    refused.incrementAndGet();
                    firstRefusal.complete(error);
                    askAgain();
                }

                @Override
                public void onCompleted() {
                    askAgain();
                }
            });
        }

        private void askAgain() {
            if (stopped) {
                running.countDown();
            } else {
                ask();
            }
        }

        void stop() throws InterruptedException {
            stopped = true;
            assertTrue(running.await(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void callsBeyondWhatTheServerCanAnswer_areRefusedWithADelay_andThoseOfOthersAreNot() throws Exception {
        try (TestServer server = TestServer.start()) {
            server.clusterState.apply(apply(IntStream.range(0, 2_000)
                    .mapToObj(i -> object(node("node-" + i, "zone-" + i % 3)))
                    .toList()));
            ManagedChannel another = ManagedChannelBuilder.forAddress("127.0.0.1", server.server.port())
                    .usePlaintext()
                    .build();
            PlacementGrpc.PlacementBlockingStub modest = PlacementGrpc.newBlockingStub(another);
            ExplainRequest question = ExplainRequest.newBuilder().setPod(web()).build();
            Greedy greedy = new Greedy(server.channel, 64);
            Throwable first = greedy.firstRefusal.get(60, TimeUnit.SECONDS);
            int before = greedy.refused.get();
            for (int i = 0; i < 50; i++) {
                assertFalse(modest.explain(question).getSummary().isEmpty());
            }
            assertTrue(greedy.refused.get() > before);
            greedy.stop();
            assertHasDelay(first);
            PlacementGrpc.PlacementBlockingStub soon = PlacementGrpc.newBlockingStub(server.channel);
            for (int i = 0; i < 50; i++) {
                assertFalse(soon.explain(question).getSummary().isEmpty());
            }
            another.shutdownNow();
        }
    }

    private static void assertHasDelay(Throwable refusal) throws InvalidProtocolBufferException {
        Status status = Status.fromThrowable(refusal);
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, status.getCode());
        assertEquals("the server has more explanations than it can answer: retry later", status.getDescription());
        Metadata trailers = ((StatusRuntimeException) refusal).getTrailers();
        List<Any> details = StatusProto.fromStatusAndTrailers(status, trailers).getDetailsList();
        assertEquals(
                "ERROR_REASON_TOO_BUSY", details.get(0).unpack(ErrorInfo.class).getReason());
        com.google.protobuf.Duration delay =
                details.get(1).unpack(RetryInfo.class).getRetryDelay();
        assertTrue(delay.getSeconds() > 0 || delay.getNanos() >= 100 * MILLI, delay.toString());
    }
}
