package io.evenkeel.client.embedded;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.Payload;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.client.Transport;
import io.evenkeel.client.embedded.UnaryMethods.UnaryMethod;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.SyncAndEvaluateHandler;
import io.evenkeel.placement.answer.EvaluateStreamHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.SyncAndEvaluateRequest;
import io.evenkeel.v1.SyncAndEvaluateResponse;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.evenkeel.v1.WatchUnblockedResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Carries calls to the handlers of an instance in this process. */
final class EmbeddedTransport implements Transport {
    private final Instance instance;
    private final ExecutorPool pool;
    private final Runnable end;
    private final UnaryMethods methods;
    private final Set<Exchange<?>> streams = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param end runs when this is closed, after its streams have ended */
    EmbeddedTransport(Instance instance, Executor executor, Runnable end) {
        this.instance = instance;
        this.end = end;
        pool = new ExecutorPool(executor);
        methods = new UnaryMethods(instance);
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> A call(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline) {
        requireOpen();
        return await(methods.of(method), request, deadline);
    }

    private static <Q extends MessageLite, R, A> A await(
            UnaryMethod<Q, R, A> method, Payload<Q> request, Duration deadline) {
        EmbeddedCall<R, A> call = new EmbeddedCall<>(method.result(), deadline, null);
        method.handle().accept(request, call);
        return call.await();
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> Runnable start(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline, Answers<A> answers) {
        return start(methods.of(method), request, deadline, answers);
    }

    private <Q extends MessageLite, R, A> Runnable start(
            UnaryMethod<Q, R, A> method, Payload<Q> request, Duration deadline, Answers<A> answers) {
        EmbeddedCall<R, A> call = new EmbeddedCall<>(method.result(), deadline, pool);
        if (closed) {
            call.fail(closed());
        } else {
            method.handle().accept(request, call);
        }
        call.report(answers);
        return call::cancel;
    }

    @Override
    @SuppressWarnings("unchecked") // Each branch opens the method that it compares with.
    public <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(
            ProtocolMethod<Q, A> method, Answers<A> answers) {
        EmbeddedStream<?> stream;
        if (method.equals(ProtocolMethod.EVALUATE_STREAM)) {
            stream = evaluations((Answers<EvaluateStreamResponse>) answers);
        } else if (method.equals(ProtocolMethod.SYNC)) {
            stream = feed((Answers<SyncResponse>) answers);
        } else if (method.equals(ProtocolMethod.SYNC_AND_EVALUATE)) {
            stream = feedAndQueries((Answers<SyncAndEvaluateResponse>) answers);
        } else if (method.equals(ProtocolMethod.WATCH_UNBLOCKED)) {
            stream = new WatchExchange(
                    instance.placement().watchUnblocked(),
                    pool,
                    (Answers<WatchUnblockedResponse>) answers,
                    streams::remove);
        } else {
            throw new IllegalArgumentException("method must be a stream of evenkeel.v1, was " + method.fullName());
        }
        streams.add(stream);
        if (closed) {
            stream.end(closed());
        }
        return (Exchange<Q>) stream;
    }

    /** A stream of evaluations. A rejected request is answered with an error, and the stream stays open. */
    private OrderedExchange<EvaluateStreamRequest, ResponseBytes, EvaluateStreamResponse> evaluations(
            Answers<EvaluateStreamResponse> answers) {
        return new OrderedExchange<>(
                // Looking up a known pod by its bytes is faster than by its fields.
                (message, call) -> evaluate(message.bytes(), call),
                answer -> answer.parse(EvaluateStreamResponse.parser()),
                pool,
                answers,
                streams::remove);
    }

    private void evaluate(byte[] message, Call<ResponseBytes> call) {
        EvaluateStreamHandler handler = instance.placement().evaluateStream();
        handler.handle(handler.parse(message, call), call, size -> null);
    }

    private OrderedExchange<SyncRequest, SyncResponse, SyncResponse> feed(Answers<SyncResponse> answers) {
        SyncSession session = instance.clusterState().sync();
        return feeding(
                session,
                (message, call) -> call.answer(session.handle(request(message))),
                Function.identity(),
                answers);
    }

    private OrderedExchange<SyncAndEvaluateRequest, ResponseBytes, SyncAndEvaluateResponse> feedAndQueries(
            Answers<SyncAndEvaluateResponse> answers) {
        SyncAndEvaluateHandler handler = instance.syncAndEvaluate();
        SyncSession session = handler.open();
        return feeding(
                session,
                (message, call) ->
                        handler.handle(handler.parse(message.bytes(), call), session, call, pool, size -> null),
                answer -> answer.parse(SyncAndEvaluateResponse.parser()),
                answers);
    }

    /** A stream that feeds the instance by a session, which ends with it. */
    private <Q extends MessageLite, R, A> OrderedExchange<Q, R, A> feeding(
            SyncSession session, BiConsumer<Payload<Q>, Call<R>> handler, Function<R, A> result, Answers<A> answers) {
        OrderedExchange<Q, R, A> stream = new OrderedExchange<>(handler, result, pool, answers, ended -> {
            session.close();
            streams.remove(ended);
        });
        session.whenTakenOver(why -> pool.execute(() -> stream.end(why), full -> stream.end(why)));
        return stream;
    }

    private static SyncRequest request(Payload<SyncRequest> payload) {
        SyncRequest message = payload.message();
        try {
            return message == null ? SyncRequest.parseFrom(payload.bytes()) : message;
        } catch (InvalidProtocolBufferException malformed) {
            throw RequestException.malformed(malformed);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw closed();
        }
    }

    private static PlacementException closed() {
        return new PlacementException(ErrorCode.UNAVAILABLE, "the client was closed", null);
    }

    @Override
    public void close(Duration grace) {
        if (!closed) {
            closed = true;
            streams.forEach(stream -> stream.cancel("the client was closed"));
            end.run();
        }
    }
}
