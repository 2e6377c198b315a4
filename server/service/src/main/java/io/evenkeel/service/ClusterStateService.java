package io.evenkeel.service;

import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.change.SyncStep;
import io.evenkeel.service.RequestParsing.BytesReader;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.ForgetResponse;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.SyncResponse;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Supplier;

/**
 * The gRPC service {@code evenkeel.v1.ClusterState}. Sync and Apply read their requests from bytes; the other methods
 * use the generated classes.
 */
final class ClusterStateService implements BindableService, ClusterStateGrpc.AsyncService {
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
                ServerMethodDefinition.create(
                        reading(ClusterStateGrpc.getApplyMethod(), (bytes, stop) -> handler.readApply(bytes)),
                        ServerCalls.asyncUnaryCall(
                                (events, answers) -> change(events.count(), () -> handler.apply(events), answers))));
        return RequestParsing.replace(methods, ClusterStateGrpc.bindService(this));
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

    @Override
    public void assume(AssumeRequest request, StreamObserver<AssumeResponse> answers) {
        change(request.getPodsCount(), () -> handler.assume(request), answers);
    }

    @Override
    public void forget(ForgetRequest request, StreamObserver<ForgetResponse> answers) {
        change(request.getUidsCount(), () -> handler.forget(request), answers);
    }

    private <A> void change(int changes, Supplier<A> answer, StreamObserver<A> answers) {
        new UnaryCall<>(answers, pools.writes()).answerWith(changes <= FEW_CHANGES, answer);
    }

    @Override
    public void listNodes(ListNodesRequest request, StreamObserver<ListNodesResponse> answers) {
        new UnaryCall<>(answers, pools.status()).answerWith(false, () -> handler.listNodes(request));
    }

    @Override
    public void getStatus(GetStatusRequest request, StreamObserver<GetStatusResponse> answers) {
        new UnaryCall<>(answers, pools.status()).answerWith(false, () -> handler.getStatus(request));
    }
}
