package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how the streams of a remote client handle servers that stall, disconnect and reject requests. */
@Timeout(60)
final class RemoteStreamsTest {
    /**
     * How a stream ends when the server stops: with a stream reset or the end of the connection, whichever comes first.
     */
    private static final Set<ErrorCode> BROKEN = EnumSet.of(ErrorCode.UNAVAILABLE, ErrorCode.CANCELLED);

    /** Answers no evaluation until the gate is open, and then with the required revision. Counts the requests. */
    private static final class Gated extends PlacementGrpc.PlacementImplBase {
        private final List<Runnable> held = new ArrayList<>();
        private final AtomicInteger received = new AtomicInteger();
        private boolean open;

        synchronized void open() {
            open = true;
            held.forEach(Runnable::run);
        }

        private synchronized void whenOpen(Runnable answer) {
            if (open) {
                answer.run();
            } else {
                held.add(answer);
            }
        }

        @Override
        public StreamObserver<EvaluateStreamRequest> evaluateStream(StreamObserver<EvaluateStreamResponse> answers) {
            return new Following<>(answers) {
                @Override
                public void onNext(EvaluateStreamRequest message) {
                    received.incrementAndGet();
                    whenOpen(() -> answers.onNext(EvaluateStreamResponse.newBuilder()
                            .setTag(message.getTag())
                            .setResponse(EvaluateResponse.newBuilder()
                                    .setRevision(
                                            message.getRequest().getFreshness().getRevision()))
                            .build()));
                }

                @Override
                public void onCompleted() {
                    whenOpen(answers::onCompleted);
                }
            };
        }
    }

    private abstract static class Following<Q, A> implements StreamObserver<Q> {
        private final StreamObserver<A> answers;

        Following(StreamObserver<A> answers) {
            this.answers = answers;
            // Cancellations are expected here; answers after a cancellation are dropped.
            ((ServerCallStreamObserver<A>) answers).setOnCancelHandler(() -> {});
        }

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {
            answers.onCompleted();
        }
    }

    /**
     * Records the messages of Sync, rejects every pod, and acknowledges each message with the number of messages so
     * far.
     */
    private static final class Noting extends ClusterStateGrpc.ClusterStateImplBase {
        private final List<SyncRequest> received = new ArrayList<>();

        @Override
        public StreamObserver<SyncRequest> sync(StreamObserver<SyncResponse> answers) {
            return new Following<>(answers) {
                @Override
                public void onNext(SyncRequest request) {
                    received.add(request);
                    SyncResponse.Builder answer = SyncResponse.newBuilder();
                    answer.getRevisionBuilder().setInstance("noting").setCounter(received.size());
                    for (int i = 0; i < request.getObjects().getObjectsCount(); i++) {
                        if (request.getObjects().getObjects(i).hasPod()) {
                            answer.addRefusals(Refusal.newBuilder().setPosition(i));
                        } else {
                            answer.setAppliedCount(answer.getAppliedCount() + 1);
                        }
                    }
                    answer.setRemovedCount(request.hasEndSnapshot() ? 7 : 0);
                    answers.onNext(answer.build());
                }
            };
        }
    }

    private static EvaluateRequest request(long id) {
        return EvaluateRequest.newBuilder()
                .setFreshness(
                        Freshness.newBuilder().setRevision(Revision.newBuilder().setCounter(id)))
                .build();
    }

    @Test
    void stream_takesNoMoreThanItsWindow_whileTheServerIsSilent() throws Exception {
        Gated gated = new Gated();
        try (ScriptedServer server = new ScriptedServer(gated);
                PlacementClient client = server.connect();
                EvaluationStream stream = client.evaluationStream()) {
            List<CompletableFuture<EvaluateResponse>> futures = new ArrayList<>();
            Optional<CompletableFuture<EvaluateResponse>> sent = stream.tryEvaluate(request(0));
            while (sent.isPresent()) {
                futures.add(sent.get());
                sent = stream.tryEvaluate(request(futures.size()));
            }
            assertEquals(256, futures.size());

            CountDownLatch entered = new CountDownLatch(1);
            CompletableFuture<EvaluateResponse> blocked = CompletableFuture.supplyAsync(() -> {
                entered.countDown();
                return stream.evaluate(request(256)).join();
            });
            entered.await();
            assertTrue(stream.tryEvaluate(request(999)).isEmpty());
            assertTrue(gated.received.get() <= 256);

            gated.open();
            futures.add(blocked);
            for (int i = 0; i < futures.size(); i++) {
                assertEquals(i, futures.get(i).get().getRevision().getCounter());
            }
        }
    }

    @Test
    void stream_holdsNoMoreBytesThanItsWindow_butTakesALargeMessageAlone() {
        EvaluateRequest large = EvaluateRequest.newBuilder()
                .addPods(Pod.newBuilder().setMetadata(ObjectMeta.newBuilder().setName("x".repeat(3 << 20))))
                .build();
        Gated gated = new Gated();
        try (ScriptedServer server = new ScriptedServer(gated);
                PlacementClient client = server.connect();
                EvaluationStream stream = client.evaluationStream()) {
            int sent = 0;
            while (stream.tryEvaluate(large).isPresent()) {
                sent++;
            }
            assertEquals(5, sent);
            gated.open();
        }
        Window window = new Window(8, 100);
        assertTrue(window.tryEnter(1_000));
        assertFalse(window.tryEnter(1));
        window.leave(1_000);
        assertTrue(window.tryEnter(1));
    }

    @Test
    void sender_isFreed_whenTheStreamBreaksWhileItWaits() throws Exception {
        Gated gated = new Gated();
        ScriptedServer server = new ScriptedServer(gated);
        try (PlacementClient client = server.connect()) {
            EvaluationStream stream = client.evaluationStream();
            List<CompletableFuture<EvaluateResponse>> futures = new ArrayList<>();
            for (int i = 0; i < 256; i++) {
                futures.add(stream.evaluate(request(i)));
            }
            CompletableFuture<EvaluateResponse> blocked = CompletableFuture.supplyAsync(
                    () -> stream.evaluate(request(256)).join());
            server.close();
            futures.add(blocked);
            for (CompletableFuture<EvaluateResponse> future : futures) {
                assertTrue(BROKEN.contains(failureOf(future).code()));
            }
            assertTrue(BROKEN.contains(failureOf(stream.evaluate(request(257))).code()));
            assertTrue(BROKEN.contains(
                    failureOf(stream.tryEvaluate(request(258)).orElseThrow()).code()));
            stream.close();
        }
    }

    @Test
    void evaluation_fails_onAStreamThatWasCancelled_beforeItsEndIsReported() throws Exception {
        Queue<Runnable> untold = new ConcurrentLinkedQueue<>();
        Gated gated = new Gated();
        gated.open();
        try (ScriptedServer server = new ScriptedServer(gated)) {
            ManagedChannel channel = Grpc.newChannelBuilder(server.target(), InsecureChannelCredentials.create())
                    .executor(untold::add)
                    .build();
            try {
                PlacementClient client = RemotePlacement.over(channel, Duration.ofSeconds(5));
                EvaluationStream stream = client.evaluationStream();
                CompletableFuture<EvaluateResponse> answer = stream.evaluate(request(0));
                tell(untold, answer);
                assertEquals(0, answer.get().getRevision().getCounter());
                client.close();
                CompletableFuture<EvaluateResponse> late = stream.evaluate(request(1));
                assertFalse(late.isDone());
                tell(untold, late);
                assertEquals(ErrorCode.CANCELLED, failureOf(late).code());
                stream.close();
            } finally {
                channel.shutdownNow();
            }
        }
    }

    /** Records events, and waits for the expected ones. */
    private static void tell(Queue<Runnable> untold, CompletableFuture<?> answer) {
        while (!answer.isDone()) {
            Runnable next = untold.poll();
            if (next != null) {
                next.run();
            }
        }
    }

    @Test
    void stream_answersWhatIsInProgress_whenClosed_andTakesNoMore() throws Exception {
        Gated gated = new Gated();
        try (ScriptedServer server = new ScriptedServer(gated);
                PlacementClient client = server.connect()) {
            EvaluationStream stream = client.evaluationStream();
            CompletableFuture<EvaluateResponse> underWay = stream.evaluate(request(1));
            CompletableFuture<Void> closing = CompletableFuture.runAsync(stream::close);
            gated.open();
            closing.get();
            assertEquals(1, underWay.get().getRevision().getCounter());
            assertEquals(
                    ErrorCode.CANCELLED, failureOf(stream.evaluate(request(2))).code());
            stream.close();
        }
    }

    @Test
    void request_fails_alone_ifItsAnswerIsAnError_orOneToAnotherRequest_orNone() throws Exception {
        List<EvaluateStreamResponse> script = List.of(
                EvaluateStreamResponse.newBuilder()
                        .setTag(1)
                        .setError(ItemError.newBuilder()
                                .setCode(ErrorCode.NOT_FOUND.number())
                                .setReason(ErrorReason.ERROR_REASON_NODE_SET_UNKNOWN)
                                .setMessage("no such set"))
                        .build(),
                EvaluateStreamResponse.newBuilder()
                        .setTag(3)
                        .setResponse(EvaluateResponse.getDefaultInstance())
                        .build(),
                EvaluateStreamResponse.newBuilder().setTag(3).build(),
                EvaluateStreamResponse.newBuilder()
                        .setTag(4)
                        .setResponse(EvaluateResponse.newBuilder().addUnknownCandidates("node-x"))
                        .build());
        var service = new PlacementGrpc.PlacementImplBase() {
            @Override
            public StreamObserver<EvaluateStreamRequest> evaluateStream(
                    StreamObserver<EvaluateStreamResponse> answers) {
                Iterator<EvaluateStreamResponse> next = script.iterator();
                return new Following<>(answers) {
                    @Override
                    public void onNext(EvaluateStreamRequest message) {
                        answers.onNext(next.next());
                    }
                };
            }
        };
        try (ScriptedServer server = new ScriptedServer(service);
                PlacementClient client = server.connect();
                EvaluationStream stream = client.evaluationStream()) {
            PlacementException refused = failureOf(stream.evaluate(request(1)));
            assertEquals("NOT_FOUND: no such set", refused.getMessage());
            assertEquals(ErrorReason.ERROR_REASON_NODE_SET_UNKNOWN, refused.reason());
            PlacementException another = failureOf(stream.evaluate(request(2)));
            assertEquals("the response must have the tag of its request, 2, was 3", another.description());
            PlacementException none = failureOf(stream.evaluate(request(3)));
            assertEquals("invalid server response: it has no result", none.description());
            assertEquals(List.of("node-x"), stream.evaluate(request(4)).get().getUnknownCandidatesList());
        }
    }

    @Test
    void stream_isCancelled_whenItsClientIsClosed() {
        Gated gated = new Gated();
        try (ScriptedServer server = new ScriptedServer(gated)) {
            PlacementClient client = server.connect();
            CompletableFuture<EvaluateResponse> unanswered =
                    client.evaluationStream().evaluate(request(1));
            client.close();
            assertEquals(ErrorCode.CANCELLED, failureOf(unanswered).code());
        }
    }

    @Test
    void snapshot_isCutIntoMessages_andItsAcknowledgementsAddedUp() {
        Noting noting = new Noting();
        int nodes = 20_000;
        Stream<ClusterObject> objects = Stream.concat(
                Stream.iterate(0, i -> i + 1)
                        .limit(nodes)
                        .map(i -> ClusterObjects.of(Node.newBuilder()
                                .setMetadata(ObjectMeta.newBuilder().setName("node-" + i))
                                .build())),
                Stream.generate(() -> ClusterObjects.of(Pod.getDefaultInstance()))
                        .limit(150));
        Revisions seen = new Revisions();
        try (ScriptedServer server = new ScriptedServer(noting);
                PlacementClient client = server.connect();
                ClusterFeed feed = client.readingOwnWrites(seen).feed()) {
            SnapshotResult result = feed.snapshot(objects.iterator());
            assertEquals(nodes + 150, result.sent());
            assertEquals(nodes, result.applied());
            assertEquals(7, result.removed());
            assertEquals(150, result.refused());
            assertEquals(100, result.refusals().size());
            assertEquals(nodes + 99, result.refusals().get(99).getPosition());
            assertEquals(noting.received.size(), result.revision().getCounter());
            assertEquals(Optional.of(result.revision()), seen.newest());
        }
        assertTrue(noting.received.get(0).hasBeginSnapshot());
        assertTrue(noting.received.get(noting.received.size() - 1).hasEndSnapshot());
        for (SyncRequest message : noting.received) {
            assertTrue(message.getObjects().getObjectsCount() <= 1_000);
            assertTrue(message.getSerializedSize() < 256 << 10);
        }
    }

    @Test
    void revisions_keepTheNewest_ofTheInstanceSeenLast() {
        Revisions seen = new Revisions();
        seen.saw(revision("a", 5));
        seen.saw(revision("a", 3));
        assertEquals(Optional.of(revision("a", 5)), seen.newest());
        seen.saw(revision("b", 1));
        assertEquals(Optional.of(revision("b", 1)), seen.newest());
        seen.clear();
        assertEquals(Optional.empty(), seen.newest());
    }

    private static Revision revision(String instance, long counter) {
        return Revision.newBuilder().setInstance(instance).setCounter(counter).build();
    }

    private static PlacementException failureOf(CompletableFuture<?> future) {
        ExecutionException failed = assertThrows(ExecutionException.class, future::get);
        return assertInstanceOf(PlacementException.class, failed.getCause());
    }
}
