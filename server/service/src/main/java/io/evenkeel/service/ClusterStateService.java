package io.evenkeel.service;

import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.SyncAndEvaluateHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.BytesReader;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.change.SyncStep;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The gRPC service {@code evenkeel.v1.ClusterState}. Sync, SyncAndEvaluate and Apply read their requests from bytes;
 * the other methods use the generated classes.
 */
final class ClusterStateService implements BindableService {
    private final ClusterStateHandler handler;
    private final SyncAndEvaluateHandler syncAndEvaluate;
    private final WorkerPools pools;

    ClusterStateService(Instance instance, WorkerPools pools) {
        this.handler = instance.clusterState();
        this.syncAndEvaluate = instance.syncAndEvaluate();
        this.pools = pools;
    }

    @Override
    public ServerServiceDefinition bindService() {
        List<ServerMethodDefinition<?, ?>> methods = List.of(
                ServerMethodDefinition.create(
                        reading(ClusterStateGrpc.getSyncMethod(), (bytes, stop) -> handler.readSync(bytes)),
                        ServerCalls.asyncBidiStreamingCall(this::feed)),
                ServerMethodDefinition.create(
                        RequestParsing.method(
                                ClusterStateGrpc.getSyncAndEvaluateMethod(),
                                syncAndEvaluate,
                                ResponseMarshaller.INSTANCE),
                        ServerCalls.asyncBidiStreamingCall(this::feedAndQueries)),
                change(
                        reading(ClusterStateGrpc.getApplyMethod(), (bytes, stop) -> handler.readApply(bytes)),
                        events -> events.count(),
                        handler::apply),
                change(ClusterStateGrpc.getAssumeMethod(), AssumeRequest::getPodsCount, handler::assume),
                change(ClusterStateGrpc.getForgetMethod(), ForgetRequest::getUidsCount, handler::forget),
                UnaryCall.method(
                        ClusterStateGrpc.getListNodesMethod(), pools.status(), any -> false, handler::listNodes),
                UnaryCall.method(
                        ClusterStateGrpc.getGetStatusMethod(), pools.status(), any -> false, handler::getStatus));
        return RequestParsing.service(ClusterStateGrpc.getServiceDescriptor(), methods);
    }

    private StreamObserver<SyncStep> feed(StreamObserver<SyncResponse> answers) {
        SyncSession session = handler.sync();
        OrderedStream<SyncStep, SyncResponse> stream = OrderedStream.open(
                answers,
                pools.writes(),
                new FeedStreamCall<>(
                        session,
                        pools.writes(),
                        (step, call) -> call.answerWith(step.isShort(), () -> session.handle(step))));
        session.whenTakenOver(stream::end);
        return stream;
    }

    private StreamObserver<SyncAndEvaluateHandler.Message> feedAndQueries(StreamObserver<ResponseBytes> answers) {
        IntFunction<@Nullable RequestException> refusal = OpenCall.refusalOfAnswers();
        SyncSession session = syncAndEvaluate.open();
        OrderedStream<SyncAndEvaluateHandler.Message, ResponseBytes> stream = OrderedStream.open(
                answers,
                pools.queries(),
                new FeedStreamCall<>(
                        session,
                        pools.writes(),
                        (message, call) -> syncAndEvaluate.handle(message, session, call, pools.writes(), refusal)));
        session.whenTakenOver(stream::end);
        return stream;
    }

    private static <Q, A> MethodDescriptor<Q, A> reading(MethodDescriptor<?, A> method, BytesReader<Q> reader) {
        return RequestParsing.method(method, reader, method.getResponseMarshaller());
    }

    private <Q, A> ServerMethodDefinition<Q, A> change(
            MethodDescriptor<Q, A> method, ToIntFunction<Q> changes, Function<Q, A> answer) {
        return UnaryCall.method(
                method, pools.writes(), request -> changes.applyAsInt(request) <= SyncStep.FEW_CHANGES, answer);
    }
}
