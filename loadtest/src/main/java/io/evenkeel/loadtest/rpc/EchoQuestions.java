package io.evenkeel.loadtest.rpc;

import com.google.protobuf.MessageLite;
import io.evenkeel.loadtest.echo.EchoSize;
import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.loadtest.load.LoadQuestions;
import io.evenkeel.loadtest.v1.EchoGrpc;
import io.evenkeel.loadtest.v1.EchoRequest;
import io.evenkeel.loadtest.v1.EchoResponse;
import io.grpc.Channel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes an echo request for each of some real requests. The echo request and response are as large as the real ones.
 */
final class EchoQuestions {
    /** How many requests to send to find the sizes of their responses. At most 100 of them differ. */
    private static final int SAMPLES = 200;

    private EchoQuestions() {}

    /** An echo request for each of the first requests. Sends these requests to find the sizes of their responses. */
    static <A extends MessageLite> LoadQuestions<EchoRequest, EchoResponse> like(
            Channel channel, LoadQuestions<EncodedRequest, A> questions) throws IOException, InterruptedException {
        List<EchoRequest> echoes = new ArrayList<>();
        try (TimedCall<EncodedRequest, A> call = TimedCall.of(channel, questions)) {
            for (int i = 0; i < Math.min(SAMPLES, questions.requests().size()); i++) {
                EncodedRequest request = questions.request(i);
                echoes.add(EchoSize.request(request.size(), call.answer(request).getSerializedSize()));
            }
        }
        return new LoadQuestions<>(
                questions.isStream() ? EchoGrpc.getStreamMethod() : EchoGrpc.getUnaryMethod(), echoes, answer -> null);
    }
}
