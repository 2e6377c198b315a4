package io.evenkeel.loadtest.load;

import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.stub.StreamObserver;

/** A state that reports it is ready, and handles feeds as a test defines. */
public final class ScriptedState extends ClusterStateGrpc.ClusterStateImplBase {
    /** Handles a {@code Sync} message. */
    public interface Script {
        void received(SyncRequest request, StreamObserver<SyncResponse> answers);
    }

    private final Script script;

    public ScriptedState(Script script) {
        this.script = script;
    }

    @Override
    public void getStatus(GetStatusRequest request, StreamObserver<GetStatusResponse> answers) {
        answers.onNext(GetStatusResponse.newBuilder().setReady(true).build());
        answers.onCompleted();
    }

    @Override
    public StreamObserver<SyncRequest> sync(StreamObserver<SyncResponse> answers) {
        return new StreamObserver<>() {
            @Override
            public void onNext(SyncRequest request) {
                script.received(request, answers);
            }

            @Override
            public void onError(Throwable broken) {}

            @Override
            public void onCompleted() {
                answers.onCompleted();
            }
        };
    }
}
