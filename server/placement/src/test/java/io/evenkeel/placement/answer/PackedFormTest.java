package io.evenkeel.placement.answer;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.Queries;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.BestAnswer;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compares the bytes of responses, which hand-written code produces, with those of the generated classes. */
final class PackedFormTest {
    private final Instance instance = new Instance(InstanceOptions.standard());

    @BeforeEach
    void feed() {
        instance.clusterState().apply(apply(zones(2, 0, 1)));
    }

    @AfterEach
    void stop() {
        instance.close();
    }

    @Test
    void packedAnswer_equalsTheGeneratedEncoding() throws InvalidProtocolBufferException {
        byte[] written = write(AnswerForm.ANSWER_FORM_PACKED);
        PackedAnswer expected = PackedAnswer.newBuilder()
                .setHardConstraintCount(1)
                .setSoftConstraintCount(1)
                .setCandidateCount(3)
                .setPassedCount(1)
                .setPassed(ByteString.copyFrom(new byte[] {0b010}))
                .setUnresolvable(ByteString.copyFrom(new byte[] {0}))
                .setScores(ByteString.copyFrom(new byte[] {0, 100, 0}))
                .addBestIndexes(1)
                .build();
        assertEncodes(PodAnswer.newBuilder().setPacked(expected).build(), written);
    }

    @Test
    void bestAnswer_equalsTheGeneratedEncoding() throws InvalidProtocolBufferException {
        byte[] written = write(AnswerForm.ANSWER_FORM_BEST);
        BestAnswer expected = BestAnswer.newBuilder()
                .setHardConstraintCount(1)
                .setSoftConstraintCount(1)
                .addBestIndexes(1)
                .setBestScores(ByteString.copyFrom(new byte[] {100}))
                .build();
        assertEncodes(PodAnswer.newBuilder().setBest(expected).build(), written);
    }

    @Test
    void readableAnswer_equalsTheGeneratedEncoding() throws InvalidProtocolBufferException {
        byte[] written = write(AnswerForm.ANSWER_FORM_READABLE);
        EvaluateResponse response = EvaluateResponse.parseFrom(written);
        assertEquals(1, response.getAnswers(0).getReadable().getPassedCount());
        assertArrayEquals(response.toByteArray(), written);
    }

    @Test
    void streamResponse_equalsTheGeneratedEncoding() throws InvalidProtocolBufferException {
        EvaluateStreamRequest request = EvaluateStreamRequest.newBuilder()
                .setTag(1L << 40)
                .setRequest(request(AnswerForm.ANSWER_FORM_PACKED))
                .build();
        byte[] written = Queries.of(instance.placement())
                .prepare(instance.placement().evaluateStream().read(request.toByteArray(), () -> false))
                .answer()
                .toByteArray();
        EvaluateResponse inner = EvaluateResponse.parseFrom(write(AnswerForm.ANSWER_FORM_PACKED));
        MessageLite expected = EvaluateStreamResponse.newBuilder()
                .setTag(1L << 40)
                .setResponse(inner)
                .build();
        assertArrayEquals(expected.toByteArray(), written);
    }

    private static EvaluateRequest request(AnswerForm form) {
        return EvaluateRequest.newBuilder()
                .addPods(web(hard(ZONE), soft(HOSTNAME)))
                .setOptions(QueryOptions.newBuilder().setForm(form))
                .build();
    }

    private byte[] write(AnswerForm form) throws InvalidProtocolBufferException {
        byte[] request = request(form).toByteArray();
        return Queries.of(instance.placement())
                .prepare(Queries.of(instance.placement()).read(PodQuery.Kind.EVALUATE, request))
                .answer()
                .toByteArray();
    }

    private void assertEncodes(PodAnswer expected, byte[] written) throws InvalidProtocolBufferException {
        EvaluateResponse response = EvaluateResponse.parseFrom(written);
        assertEquals(List.of(expected), response.getAnswersList());
        Revision revision = instance.clusterState()
                .getStatus(io.evenkeel.v1.GetStatusRequest.getDefaultInstance())
                .getRevision();
        assertArrayEquals(
                EvaluateResponse.newBuilder()
                        .setRevision(revision)
                        .setNodeTableToken(response.getNodeTableToken())
                        .addAnswers(expected)
                        .build()
                        .toByteArray(),
                written);
    }
}
