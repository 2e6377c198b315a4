package io.evenkeel.service;

import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.change.SyncStep;
import io.evenkeel.service.RequestParsing.BytesReader;
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
import java.util.function.ToIntFunction;

/**
 * The gRPC service {@code evenkeel.v1.ClusterState}. Sync and Apply read their requests from bytes; the other methods
 * use the generated classes.
 */
final class ClusterStateService implements BindableService {
    /** The most changes that are made on the event loop: some tens of microseconds of work. */
    static final int FEW_CHANGES = 32;

    private final ClusterStateHandler handler;
    private final WorkerPools pools;

    ClusterStateService(ClusterStateHandler handler, WorkerPools pools) {
        this.handler = handler;
        this.pools = pools;
    }

    @Override
    public ServerServiceDefinition bindService() {
        List<ServerMethodDefinition<?, ?>> methods = List.of(
                ServerMethodDefinition.create(
                        reading(ClusterStateGrpc.getSyncMethod(), (bytes, stop) -> handler.readSync(bytes)),
                        ServerCalls.asyncBidiStreamingCall(this::feed)),
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
        OrderedStream<SyncStep, SyncResponse> stream =
                OrderedStream.open(answers, pools.writes(), new SyncStreamCall(session, pools.writes()));
        session.whenTakenOver(stream::end);
        return stream;
    }

    private static <Q, A> MethodDescriptor<Q, A> reading(MethodDescriptor<?, A> method, BytesReader<Q> reader) {
        return method.toBuilder(reader, method.getResponseMarshaller()).build();
    }

    private <Q, A> ServerMethodDefinition<Q, A> change(
            MethodDescriptor<Q, A> method, ToIntFunction<Q> changes, Function<Q, A> answer) {
        return UnaryCall.method(method, pools.writes(), request -> changes.applyAsInt(request) <= FEW_CHANGES, answer);
    }
}
