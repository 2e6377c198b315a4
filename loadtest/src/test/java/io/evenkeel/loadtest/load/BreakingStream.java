package io.evenkeel.loadtest.load;

import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;

/** Answers some messages, and fails at the next. */
final class BreakingStream implements StreamObserver<EvaluateStreamRequest> {
    private final StreamObserver<EvaluateStreamResponse> answers;
    private int left;

    BreakingStream(StreamObserver<EvaluateStreamResponse> answers, int left) {
        this.answers = answers;
        this.left = left;
    }

    @Override
    public void onNext(EvaluateStreamRequest request) {
        if (left-- > 0) {
            answers.onNext(EvaluateStreamResponse.newBuilder()
                    .setResponse(EvaluateResponse.getDefaultInstance())
                    .build());
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
