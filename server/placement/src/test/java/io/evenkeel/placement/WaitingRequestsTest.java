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
import io.evenkeel.engine.Await;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.Handler;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Request;
import io.evenkeel.placement.call.RequestException;
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
import java.util.concurrent.ExecutionException;
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

    private static <Q extends Request, A> FutureCall<A> ask(Handler<Q, A> handler, Q request) {
        FutureCall<A> call = new FutureCall<>(LONG);
        handler.handle(request, call);
        return call;
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
        return placement.evaluate().read(request.toByteArray(), StopSignal.NEVER);
    }

    /** Sends a request, and waits until nothing references the parsed request. */
    private static <Q extends Request, A> FutureCall<A> askAndForget(Handler<Q, A> handler, byte[] request)
            throws Exception {
        Q read = handler.read(request, StopSignal.NEVER);
        WeakReference<Q> reference = new WeakReference<>(read);
        FutureCall<A> answer = ask(handler, read);
        read = null;
        Await.until(() -> {
            System.gc();
            return reference.get() == null;
        });
        assertFalse(answer.isDone());
        return answer;
    }

    @Test
    void evaluation_isHeldAsBytes() throws Exception {
        FutureCall<ResponseBytes> answer =
                askAndForget(placement.evaluate(), evaluation().toByteArray());
        assertEquals(reach(), answer.get().parse(EvaluateResponse.parser()).getRevision());
    }

    @Test
    void evaluationOfAStream_isHeldAsBytes() throws Exception {
        byte[] request = EvaluateStreamRequest.newBuilder()
                .setTag(7)
                .setRequest(evaluation())
                .build()
                .toByteArray();
        FutureCall<ResponseBytes> answer = askAndForget(placement.evaluateStream(), request);
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
        FutureCall<ResponseBytes> answer = askAndForget(placement.whatIf(), request);
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
        FutureCall<ExplainResponse> answer = askAndForget(placement.explain(), request);
        assertEquals(reach(), answer.get().getRevision());
    }

    /** For example in a cached pod, whose other fields are not parsed until it is evicted. */
    @Test
    void bytesThatCannotBeReadAgain_areRefused() throws Exception {
        PodQuery read = read(evaluation());
        PodQuery unreadable = new PodQuery(
                read.kind(),
                read.pods(),
                read.options(),
                read.freshness(),
                read.knownNodeTableToken(),
                read.overlay(),
                read.session(),
                ByteString.copyFromUtf8("?"));
        FutureCall<ResponseBytes> answer = ask(placement.evaluate(), unreadable);
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
        FutureCall<ResponseBytes> first = ask(placement.evaluate(), read(large));
        FutureCall<ResponseBytes> second = ask(placement.evaluate(), read(large));
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
