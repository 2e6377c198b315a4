package io.evenkeel.loadtest.rpc;

import com.google.protobuf.MessageLite;
import io.evenkeel.loadtest.echo.EchoSize;
import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.loadtest.load.Questions;
import io.evenkeel.loadtest.v1.EchoGrpc;
import io.evenkeel.loadtest.v1.EchoRequest;
import io.evenkeel.loadtest.v1.EchoResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.StatusException;
import io.grpc.stub.ClientCalls;
import java.util.ArrayList;
import java.util.List;

/** Makes echo requests that are of the size of others, for answers that are of the size of theirs. */
final class EchoQuestions {
    /** So many are asked to see how large their answers are; they are of at most 100 kinds. */
    private static final int SAMPLES = 200;

    private EchoQuestions() {}

    /** The echo of each of the first requests, whose answers are asked for now. */
    static <A extends MessageLite> Questions<EchoRequest, EchoResponse> like(
            Channel channel, Questions<EncodedRequest, A> questions) throws InterruptedException, FailedCallException {
        List<EchoRequest> echoes = new ArrayList<>();
        for (int i = 0; i < Math.min(SAMPLES, questions.requests().size()); i++) {
            EncodedRequest request = questions.request(i);
            echoes.add(EchoSize.request(
                    request.size(), answer(channel, questions, request).getSerializedSize()));
        }
        return new Questions<>(EchoGrpc.getUnaryMethod(), EchoGrpc.getStreamMethod(), echoes, answer -> null);
    }

    private static <Q, A> A answer(Channel channel, Questions<Q, A> questions, Q request)
            throws InterruptedException, FailedCallException {
        try {
            return ClientCalls.blockingV2UnaryCall(channel, questions.unary(), CallOptions.DEFAULT, request);
        } catch (StatusException failed) {
            throw new FailedCallException(String.valueOf(failed.getMessage()));
        }
    }
}
