package io.evenkeel.loadtest.load;

import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;

/** Answers some messages, and breaks at the next. */
final class BreakingStream implements StreamObserver<EvaluateRequest> {
    private final StreamObserver<EvaluateResponse> answers;
    private int left;

    BreakingStream(StreamObserver<EvaluateResponse> answers, int left) {
        this.answers = answers;
        this.left = left;
    }

    @Override
    public void onNext(EvaluateRequest request) {
        if (left-- > 0) {
            answers.onNext(EvaluateResponse.getDefaultInstance());
        } else if (left == -1) {
            answers.onError(Status.ABORTED.asRuntimeException());
        }
    }

    @Override
    public void onError(Throwable broken) {}

    @Override
    public void onCompleted() {
        answers.onCompleted();
    }
}
