package io.evenkeel.service;

import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.Handler;
import io.evenkeel.placement.call.Request;
import io.evenkeel.placement.call.TaskPool;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A unary gRPC call. It must be created before the service's method returns. */
final class UnaryCall<A> implements Call<A> {
    private final ServerCallStreamObserver<A> call;
    private final WorkerPool pool;
    private final @Nullable OpenCall open = OpenCall.current();

    /** @param pool runs its long work */
    UnaryCall(StreamObserver<A> observer, WorkerPool pool) {
        call = (ServerCallStreamObserver<A>) observer;
        this.pool = pool;
        // With a handler, gRPC does not throw if the call was cancelled meanwhile.
        call.setOnCancelHandler(() -> {});
    }

    /** Passes the requests of a method to {@code handler}. */
    static <Q extends Request, A> ServerCallHandler<Q, A> to(Handler<Q, A> handler, WorkerPool pool) {
        return ServerCalls.asyncUnaryCall(
                (request, observer) -> handler.handle(request, new UnaryCall<>(observer, pool)));
    }

    /** A method whose requests {@code handler} reads from their bytes, and whose answers are messages. */
    static <Q extends Request, A> ServerMethodDefinition<Q, A> query(
            MethodDescriptor<?, A> method, Handler<Q, A> handler, WorkerPool pool) {
        return ServerMethodDefinition.create(
                RequestParsing.method(method, handler, method.getResponseMarshaller()), to(handler, pool));
    }

    /** A method whose requests are messages, which {@code handler} answers or rejects, now or later. */
    static <Q, A> ServerMethodDefinition<Q, A> method(
            MethodDescriptor<Q, A> method, WorkerPool pool, BiConsumer<Q, Call<A>> handler) {
        return ServerMethodDefinition.create(
                method,
                ServerCalls.asyncUnaryCall(
                        (request, observer) -> handler.accept(request, new UnaryCall<>(observer, pool))));
    }

    /**
     * A method whose requests are messages.
     *
     * @param isShort whether a request is answered on the event loop; otherwise {@code pool} does
     */
    static <Q, A> ServerMethodDefinition<Q, A> method(
            MethodDescriptor<Q, A> method, WorkerPool pool, Predicate<Q> isShort, Function<Q, A> answer) {
        return ServerMethodDefinition.create(
                method,
                ServerCalls.asyncUnaryCall((request, observer) -> new UnaryCall<A>(observer, pool)
                        .answerWith(isShort.test(request), () -> answer.apply(request))));
    }

    @Override
    public void answer(A answer) {
        call.onNext(answer);
        call.onCompleted();
    }

    @Override
    public void fail(Throwable why) {
        if (!call.isCancelled()) {
            call.onError(StatusErrors.of(why));
        }
    }

    @Override
    public boolean isStopped() {
        return call.isCancelled();
    }

    @Override
    public void onStop(Runnable action) {
        call.setOnCancelHandler(action);
        if (call.isCancelled()) {
            action.run();
        }
    }

    @Override
    public Duration patience() {
        return CallDeadline.patience();
    }

    @Override
    public Object identity() {
        return OpenCall.identity(open);
    }

    @Override
    public TaskPool pool() {
        return pool;
    }
}
