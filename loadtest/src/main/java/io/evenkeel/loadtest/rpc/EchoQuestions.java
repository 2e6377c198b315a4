package io.evenkeel.loadtest.rpc;

import com.google.protobuf.MessageLite;
import io.evenkeel.loadtest.echo.EchoSize;
import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.loadtest.load.Questions;
import io.evenkeel.loadtest.v1.EchoGrpc;
import io.evenkeel.loadtest.v1.EchoRequest;
import io.evenkeel.loadtest.v1.EchoResponse;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes an echo request for each of some real requests: it is as large as the real one, and its answer is as large as
 * the real answer.
 */
final class EchoQuestions {
    /** How many requests are sent to find the sizes of their answers. There are at most 100 different ones. */
    private static final int SAMPLES = 200;

    private EchoQuestions() {}

    /** An echo request for each of the first requests. These are sent now, to find the sizes of their answers. */
    static <A extends MessageLite> Questions<EchoRequest, EchoResponse> like(
            Channel channel, Questions<EncodedRequest, A> questions) throws InterruptedException, FailedCallException {
        List<EchoRequest> echoes = new ArrayList<>();
        try (TimedCall<EncodedRequest, A> call = TimedCall.of(channel, questions)) {
            for (int i = 0; i < Math.min(SAMPLES, questions.requests().size()); i++) {
                EncodedRequest request = questions.request(i);
                echoes.add(EchoSize.request(request.size(), call.answer(request).getSerializedSize()));
            }
        }
        return new Questions<>(
                questions.isStream() ? EchoGrpc.getStreamMethod() : EchoGrpc.getUnaryMethod(), echoes, answer -> null);
    }
}
