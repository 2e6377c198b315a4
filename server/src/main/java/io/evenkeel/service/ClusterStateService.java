package io.evenkeel.service;

import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.ForgetResponse;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.stub.StreamObserver;
import java.util.function.Supplier;

/** {@code evenkeel.v1.ClusterState}. */
final class ClusterStateService extends ClusterStateGrpc.ClusterStateImplBase {
    /** Changes that are made on the event loop: some tens of microseconds. */
    static final int FEW_CHANGES = 32;

    private final ClusterStateHandler handler;
    private final UnaryCalls calls;
    private final Workers workers;

    ClusterStateService(ClusterStateHandler handler, UnaryCalls calls, Workers workers) {
        this.handler = handler;
        this.calls = calls;
        this.workers = workers;
    }

    @Override
    public StreamObserver<SyncRequest> sync(StreamObserver<SyncResponse> answers) {
        return OrderedStream.open(answers, new SyncTurns(handler.sync(), workers));
    }

    @Override
    public void apply(ApplyRequest request, StreamObserver<ApplyResponse> answers) {
        change(request.getEventsCount(), () -> handler.apply(request), answers);
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
        if (changes <= FEW_CHANGES) {
            calls.now(answer, answers);
        } else {
            calls.work(answer, answers);
        }
    }

    @Override
    public void listNodes(ListNodesRequest request, StreamObserver<ListNodesResponse> answers) {
        calls.work(() -> handler.listNodes(request), answers);
    }

    @Override
    public void getStatus(GetStatusRequest request, StreamObserver<GetStatusResponse> answers) {
        calls.work(() -> handler.getStatus(request), answers);
    }
}
