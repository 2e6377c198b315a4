package io.evenkeel.client.embedded;

import com.google.protobuf.MessageLite;
import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.Payload;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.client.Transport;
import io.evenkeel.client.embedded.MethodHandlers.EncodedCall;
import io.evenkeel.client.embedded.MethodHandlers.UnaryCall;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.call.AnsweredRefusals;
import io.evenkeel.placement.call.Recipient;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.placement.query.StreamQuery;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Carries calls to the handlers of an instance in this process. */
final class EmbeddedTransport implements Transport {
    private final Instance instance;
    private final CallExecution work;
    private final Runnable end;
    private final MethodHandlers calls;
    private final Set<Exchange<?>> streams = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param end runs when this is closed, after its streams have ended */
    EmbeddedTransport(Instance instance, Executor executor, Runnable end) {
        this.instance = instance;
        this.end = end;
        work = new CallExecution(instance.placement().runner(), executor);
        calls = new MethodHandlers(instance);
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> A call(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline) {
        requireOpen();
        Q message = request.message();
        if (message != null) {
            return answer(calls.of(method), () -> message, deadline);
        }
        EncodedCall<A> encoded = calls.encoded(method);
        return answer(encoded.call(), () -> encoded.read().apply(request.bytes()), deadline);
    }

    private <Q, A> A answer(UnaryCall<Q, A> call, Supplier<Q> request, Duration deadline) {
        try {
            return work.answer(call, request.get(), deadline);
        } catch (RuntimeException failed) {
            throw Failures.of(failed);
        }
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> Runnable start(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline, Answers<A> answers) {
        Q message = request.message();
        if (message != null) {
            UnaryCall<Q, A> call = calls.of(method);
            return begin(deadline, answers, recipient -> work.begin(call, message, deadline, recipient));
        }
        EncodedCall<A> encoded = calls.encoded(method);
        return begin(deadline, answers, recipient -> {
            PodQuery query;
            try {
                query = encoded.read().apply(request.bytes());
            } catch (PlacementException malformed) {
                recipient.failed(malformed);
                return;
            }
            work.begin(encoded.call(), query, deadline, recipient);
        });
    }

    /** Starts a call and returns a task that cancels it. */
    private <A> Runnable begin(Duration deadline, Answers<A> answers, Consumer<Recipient<A>> call) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        if (closed) {
            answer.completeExceptionally(closed());
        } else {
            call.accept(new FutureRecipient<>(answer, deadline));
        }
        Completion.of(answer, (value, failure) -> {
            if (failure == null) {
                answers.answered(value);
            }
            answers.ended(failure == null ? null : Failures.of(failure));
        });
        return () -> answer.cancel(false);
    }

    @Override
    @SuppressWarnings("unchecked") // Each branch opens the method that it compares with.
    public <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(
            ProtocolMethod<Q, A> method, Answers<A> answers) {
        OrderedExchange<?, ?> stream;
        if (method.equals(ProtocolMethod.EVALUATE_STREAM)) {
            stream = evaluations((Answers<EvaluateStreamResponse>) answers);
        } else if (method.equals(ProtocolMethod.SYNC)) {
            stream = feed((Answers<SyncResponse>) answers);
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
    private OrderedExchange<EvaluateStreamRequest, EvaluateStreamResponse> evaluations(
            Answers<EvaluateStreamResponse> answers) {
        return new OrderedExchange<>(
                // Looking up a known pod by its bytes is faster than by its fields.
                (message, recipient) -> evaluate(message.bytes(), recipient), answers, streams::remove);
    }

    private void evaluate(byte[] message, Recipient<EvaluateStreamResponse> recipient) {
        StreamQuery query = calls.readStreamed(message);
        work.begin(
                calls.evaluateStream(),
                query,
                query.limit(),
                new AnsweredRefusals<>(
                        recipient, refused -> PlacementHandler.refusal(query.tag(), refused), query.limit()));
    }

    private OrderedExchange<SyncRequest, SyncResponse> feed(Answers<SyncResponse> answers) {
        SyncSession session = instance.clusterState().sync();
        OrderedExchange<SyncRequest, SyncResponse> stream = new OrderedExchange<>(
                (message, recipient) -> {
                    SyncRequest request = message.message();
                    recipient.answered(session.handle(
                            request == null ? MethodHandlers.parsed(message.bytes(), SyncRequest.parser()) : request));
                },
                answers,
                ended -> {
                    session.close();
                    streams.remove(ended);
                });
        session.whenTakenOver(why -> work.later(() -> stream.end(why)));
        return stream;
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
