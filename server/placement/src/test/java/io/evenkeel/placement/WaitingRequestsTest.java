package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.KeptRequest;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.ReadRequest;
import io.evenkeel.placement.call.Recipient;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TaskPool;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what is kept of requests that wait for a state, and that they are answered as if they had arrived later. */
@Timeout(60)
final class WaitingRequestsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Instance instance = new Instance(InstanceOptions.standard()
            .withLimits(Limits.builder().waitingBytes(2_000).build()));
    private final PlacementHandler placement = instance.placement();
    private final Revision next =
            after(instance.clusterState().apply(apply(zones(2, 1))).getRevision());
    private final Freshness demanded = Freshness.newBuilder().setRevision(next).build();

    @AfterEach
    void close() {
        instance.close();
    }

    private static Revision after(Revision now) {
        return now.toBuilder().setCounter(now.getCounter() + 1).build();
    }

    /** Runs tasks in the thread that adds them. */
    private static final class SamePlace implements TaskPool {
        @Override
        public void execute(Runnable task, Consumer<Throwable> refused) {
            task.run();
        }

        @Override
        public void later(Runnable task, Consumer<Throwable> refused) {
            CompletableFuture<Void> unused = CompletableFuture.runAsync(task);
        }

        @Override
        public Object caller() {
            return SamePlace.class;
        }

        @Override
        public TaskPool forThisCaller() {
            return this;
        }
    }

    /** Reads a request. */
    private interface Reading<Q> {
        Q read() throws InvalidProtocolBufferException;
    }

    /** The answer, as a future. */
    private static final class Future<A> extends CompletableFuture<A> implements Recipient<A> {
        @Override
        public void answered(A answer) {
            complete(answer);
        }

        @Override
        public void failed(Throwable why) {
            completeExceptionally(why);
        }

        @Override
        public boolean isOver() {
            return false;
        }

        @Override
        public void whenOver(Runnable action) {
            // It never is.
        }
    }

    private <A> Future<A> ask(ReadRequest<A> request) {
        Future<A> answer = new Future<>();
        TaskPool pool = new SamePlace();
        placement.runner().run(pool, bytes -> pool, () -> LONG, request, answer);
        return answer;
    }

    private Revision reach() {
        return instance.clusterState()
                .apply(apply(List.of(object(pod("one-more", "z2")))))
                .getRevision();
    }

    private EvaluateRequest evaluation() {
        return EvaluateRequest.newBuilder()
                .addPods(web(hard(ZONE)))
                .setFreshness(demanded)
                .build();
    }

    private PodQuery read(EvaluateRequest request) throws InvalidProtocolBufferException {
        return placement.read(PodQuery.Kind.EVALUATE, request.toByteArray());
    }

    /** Sends a request, and waits until nothing references the parsed request. */
    private <Q, A> Future<A> askAndForget(Reading<Q> reading, Function<Q, ReadRequest<A>> request) throws Exception {
        Q read = reading.read();
        WeakReference<Q> reference = new WeakReference<>(read);
        Future<A> answer = ask(request.apply(read));
        read = null;
        while (reference.get() != null) {
            System.gc();
            Thread.sleep(10);
        }
        assertFalse(answer.isDone());
        return answer;
    }

    @Test
    void evaluation_isHeldAsBytes() throws Exception {
        Future<ResponseBytes> answer = askAndForget(() -> read(evaluation()), placement::request);
        assertEquals(reach(), answer.get().parse(EvaluateResponse.parser()).getRevision());
    }

    @Test
    void evaluationOfAStream_isHeldAsBytes() throws Exception {
        byte[] request = EvaluateStreamRequest.newBuilder()
                .setTag(7)
                .setRequest(evaluation())
                .build()
                .toByteArray();
        Future<ResponseBytes> answer =
                askAndForget(() -> placement.readStreamed(request, () -> false), placement::request);
        Revision reached = reach();
        EvaluateStreamResponse response = answer.get().parse(EvaluateStreamResponse.parser());
        assertEquals(7, response.getTag());
        assertEquals(reached, response.getResponse().getRevision());
    }

    @Test
    void whatIf_isHeldAsBytes() throws Exception {
        byte[] request = WhatIfRequest.newBuilder()
                .setPod(web(hard(ZONE)))
                .addCases(WhatIfCase.newBuilder().setNode("z2"))
                .setFreshness(demanded)
                .build()
                .toByteArray();
        Future<ResponseBytes> answer =
                askAndForget(() -> placement.readCases(request, () -> false), placement::request);
        Revision reached = reach();
        WhatIfResponse response = answer.get().parse(WhatIfResponse.parser());
        assertEquals(reached, response.getRevision());
        assertEquals(1, response.getAnswersCount());
    }

    @Test
    void explanation_isHeldAsBytes() throws Exception {
        byte[] request = ExplainRequest.newBuilder()
                .setPod(web(hard(ZONE)))
                .setFreshness(demanded)
                .build()
                .toByteArray();
        Future<ExplainResponse> answer = askAndForget(() -> ExplainRequest.parseFrom(request), placement::request);
        assertEquals(reach(), answer.get().getRevision());
    }

    /** For example in a cached pod, whose other fields are not parsed until it is evicted. */
    @Test
    void bytesThatCannotBeReadAgain_areRefused() throws Exception {
        Future<String> answer = ask(new ReadRequest<>() {
            @Override
            public Freshness freshness() {
                return demanded;
            }

            @Override
            public Prepared<String> prepare() {
                throw new AssertionError("it waits first");
            }

            @Override
            public KeptRequest<String> kept() {
                return new KeptRequest<>(ByteString.copyFromUtf8("?"), (bytes, over) -> {
                    throw new InvalidProtocolBufferException("no such bytes");
                });
            }
        });
        reach();
        RequestException refused = assertInstanceOf(
                RequestException.class,
                assertThrows(ExecutionException.class, answer::get).getCause());
        assertEquals(ErrorReason.ERROR_REASON_MALFORMED_REQUEST, refused.reason());
    }

    @Test
    void bytesBeyondTheBound_areRefused() throws Exception {
        EvaluateRequest large =
                evaluation().toBuilder().setKnownNodeTableToken("t".repeat(600)).build();
        Future<ResponseBytes> first = ask(placement.request(read(large)));
        Future<ResponseBytes> second = ask(placement.request(read(large)));
        assertFalse(first.isDone());
        RequestException refused = assertInstanceOf(
                RequestException.class,
                assertThrows(ExecutionException.class, second::get).getCause());
        assertEquals(ErrorReason.ERROR_REASON_TOO_BUSY, refused.reason());
        assertEquals(
                "the requests of calls of this connection that wait for a newer state must have at most 1000 bytes in"
                        + " total, and this one exceeds what is left; try again later",
                refused.getMessage());
    }
}
