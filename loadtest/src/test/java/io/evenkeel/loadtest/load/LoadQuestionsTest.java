package io.evenkeel.loadtest.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ReadableAnswer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LoadQuestionsTest {
    private static final List<List<Pod>> ONE_POD = List.of(List.of(Pod.getDefaultInstance()));
    private static final LoadQuestions<EncodedRequest, EvaluateResponse> CALLS =
            LoadQuestions.evaluate(ONE_POD, QueryOptions.getDefaultInstance());
    private static final LoadQuestions<EncodedRequest, EvaluateStreamResponse> MESSAGES =
            LoadQuestions.evaluateStream(ONE_POD, QueryOptions.getDefaultInstance());

    private static EvaluateResponse response(PodAnswer.Builder answer) {
        return EvaluateResponse.newBuilder().addAnswers(answer).build();
    }

    private static String status(@Nullable Fault fault) {
        assertNotNull(fault);
        return fault.status();
    }

    @Test
    void answer_isWell_ifEachPodHasOne() {
        EvaluateResponse response = response(PodAnswer.newBuilder().setReadable(ReadableAnswer.getDefaultInstance()));
        assertNull(CALLS.fault(response));
        assertNull(MESSAGES.fault(
                EvaluateStreamResponse.newBuilder().setResponse(response).build()));
    }

    @Test
    void errorOfAPod_isAFault_inACallAndOnAStream() {
        PodAnswer.Builder answer = PodAnswer.newBuilder();
        answer.getErrorBuilder().setCode(3);
        assertEquals("item: INVALID_ARGUMENT", status(CALLS.fault(response(answer))));
        assertEquals(
                "item: INVALID_ARGUMENT",
                status(MESSAGES.fault(EvaluateStreamResponse.newBuilder()
                        .setResponse(response(answer))
                        .build())));
    }

    @Test
    void errorOfAMessage_isAFault() {
        EvaluateStreamResponse.Builder answer = EvaluateStreamResponse.newBuilder();
        answer.getErrorBuilder().setCode(14);
        assertEquals("UNAVAILABLE", status(MESSAGES.fault(answer.build())));
    }

    @Test
    void answerWithoutAResult_isAFault() {
        assertEquals("item: INTERNAL", status(CALLS.fault(response(PodAnswer.newBuilder()))));
        assertEquals("INTERNAL", status(MESSAGES.fault(EvaluateStreamResponse.getDefaultInstance())));
    }
}
