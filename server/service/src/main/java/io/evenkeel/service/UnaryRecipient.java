package io.evenkeel.service;

import io.evenkeel.placement.call.Recipient;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** The recipient of a unary gRPC call's answer. It must be created before the service's method returns. */
final class UnaryRecipient<A> implements Recipient<A> {
    private final ServerCallStreamObserver<A> call;

    UnaryRecipient(StreamObserver<A> observer) {
        call = (ServerCallStreamObserver<A>) observer;
        // With a handler, gRPC does not throw if the call was cancelled meanwhile.
        call.setOnCancelHandler(() -> {});
    }

    @Override
    public void answered(A answer) {
        call.onNext(answer);
        call.onCompleted();
    }

    @Override
    public void failed(Throwable why) {
        if (!call.isCancelled()) {
            call.onError(StatusErrors.of(why));
        }
    }

    @Override
    public boolean isCancelled() {
        return call.isCancelled();
    }

    @Override
    public void onCancel(Runnable action) {
        call.setOnCancelHandler(action);
        if (call.isCancelled()) {
            action.run();
        }
    }
}
