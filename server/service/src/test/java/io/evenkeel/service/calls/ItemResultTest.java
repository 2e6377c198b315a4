package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.WhatIfAnswer;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfVerdict;
import io.grpc.Status;
import io.grpc.stub.BlockingClientCall;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that the error of an item cannot be read as a result, nor a missing result as success. */
final class ItemResultTest {
    private static final Pod WRONG = web(hard(""));

    private final TestServer server = TestServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void podThatCannotBeJudged_hasAnErrorAndNoForm() {
        server.zones(1, 0);
        for (AnswerForm form :
                List.of(AnswerForm.ANSWER_FORM_READABLE, AnswerForm.ANSWER_FORM_PACKED, AnswerForm.ANSWER_FORM_BEST)) {
            List<PodAnswer> answers = server.placement
                    .evaluate(EvaluateRequest.newBuilder()
                            .addPods(WRONG)
                            .addPods(web(hard(ZONE)))
                            .setOptions(QueryOptions.newBuilder().setForm(form))
                            .build())
                    .getAnswersList();
            assertEquals(PodAnswer.ResultCase.ERROR, answers.get(0).getResultCase());
            assertEquals(
                    ErrorReason.ERROR_REASON_INVALID_FIELD,
                    answers.get(0).getError().getReason());
            assertEquals(
                    switch (form) {
                        case ANSWER_FORM_PACKED -> PodAnswer.ResultCase.PACKED;
                        case ANSWER_FORM_BEST -> PodAnswer.ResultCase.BEST;
                        default -> PodAnswer.ResultCase.READABLE;
                    },
                    answers.get(1).getResultCase());
        }
    }

    @Test
    void caseOnAnUnknownNode_hasAnErrorAndNoVerdict() {
        server.zones(1);
        List<WhatIfAnswer> answers = server.placement
                .whatIf(WhatIfRequest.newBuilder()
                        .setPod(web())
                        .addCases(WhatIfCase.newBuilder().setNode("z9"))
                        .addCases(WhatIfCase.newBuilder().setNode("z1"))
                        .build())
                .getAnswersList();
        assertEquals(WhatIfAnswer.ResultCase.ERROR, answers.get(0).getResultCase());
        assertEquals(
                ErrorReason.ERROR_REASON_NODE_UNKNOWN, answers.get(0).getError().getReason());
        assertEquals(Status.Code.NOT_FOUND.value(), answers.get(0).getError().getCode());
        assertEquals(NodeCode.NODE_CODE_SUCCESS, answers.get(1).getVerdict().getCode());
    }

    @Test
    void emptyVerdict_isNoSuccess() {
        assertNotEquals(
                NodeCode.NODE_CODE_SUCCESS, WhatIfVerdict.getDefaultInstance().getCode());
        assertEquals(
                PodAnswer.ResultCase.RESULT_NOT_SET,
                PodAnswer.getDefaultInstance().getResultCase());
    }

    @Test
    void requestThatIsRefusedOnAStream_isAnErrorWithItsTag_andTheStreamGoesOn() throws Exception {
        server.zones(1, 0);
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream =
                PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
        stream.write(EvaluateStreamRequest.newBuilder()
                .setTag(5)
                .setRequest(EvaluateRequest.newBuilder()
                        .addPods(web(hard(ZONE)))
                        .setOptions(QueryOptions.newBuilder().setMaxBest(-1)))
                .build());
        stream.write(EvaluateStreamRequest.newBuilder()
                .setTag(6)
                .setRequest(EvaluateRequest.newBuilder().addPods(web(hard(ZONE))))
                .build());
        EvaluateStreamResponse refused = stream.read();
        assertEquals(5, refused.getTag());
        assertEquals(EvaluateStreamResponse.ResultCase.ERROR, refused.getResultCase());
        assertEquals("options.maxBest", refused.getError().getViolations(0).getField());
        EvaluateStreamResponse answered = stream.read();
        assertEquals(6, answered.getTag());
        assertEquals(EvaluateStreamResponse.ResultCase.RESPONSE, answered.getResultCase());
        assertFalse(answered.getResponse().getAnswers(0).hasError());
        stream.halfClose();
    }
}
