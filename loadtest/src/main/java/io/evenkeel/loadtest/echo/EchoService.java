package io.evenkeel.loadtest.echo;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.evenkeel.loadtest.v1.EchoGrpc;
import io.evenkeel.loadtest.v1.EchoRequest;
import io.evenkeel.loadtest.v1.EchoResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;

/** The echo service: responds with as many bytes as the request asks for, and does nothing else. Thread-safe. */
public final class EchoService extends EchoGrpc.EchoImplBase {
    /** The largest payload of a response: 16 MiB. */
    static final int MAX_PAYLOAD = 16 << 20;

    private static final ByteString BYTES = UnsafeByteOperations.unsafeWrap(new byte[MAX_PAYLOAD]);

    @Override
    public void unary(EchoRequest request, StreamObserver<EchoResponse> answers) {
        try {
            answers.onNext(answer(request));
            answers.onCompleted();
        } catch (IllegalArgumentException wrong) {
            answers.onError(refusal(wrong));
        }
    }

    @Override
    public StreamObserver<EchoRequest> stream(StreamObserver<EchoResponse> answers) {
        return new StreamObserver<>() {
            private boolean over;

            @Override
            public void onNext(EchoRequest request) {
                if (over) {
                    return;
                }
                try {
                    answers.onNext(answer(request));
                } catch (IllegalArgumentException wrong) {
                    over = true;
                    answers.onError(refusal(wrong));
                }
            }

            @Override
            public void onError(Throwable broken) {
                over = true;
            }

            @Override
            public void onCompleted() {
                if (!over) {
                    answers.onCompleted();
                }
            }
        };
    }

    private static EchoResponse answer(EchoRequest request) {
        int length = EchoSize.wantedLength(request);
        if (length < 0 || length > MAX_PAYLOAD) {
            throw new IllegalArgumentException(
                    "the payload must begin with a length from 0 to " + MAX_PAYLOAD + " in four bytes, was " + length);
        }
        return EchoResponse.newBuilder().setPayload(BYTES.substring(0, length)).build();
    }

    private static Throwable refusal(IllegalArgumentException wrong) {
        return Status.INVALID_ARGUMENT.withDescription(wrong.getMessage()).asRuntimeException();
    }
}
