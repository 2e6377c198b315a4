package io.evenkeel.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.BestAnswer;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.SyncResponse;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that messages that the same code reads or writes have equal field numbers. */
final class EqualFieldNumbersTest {
    @Test
    void requestsOfFilterScoreAndEvaluate_haveEqualFields() {
        assertEquals(fields(EvaluateRequest.getDescriptor()), fields(FilterRequest.getDescriptor()));
        assertEquals(fields(EvaluateRequest.getDescriptor()), fields(ScoreRequest.getDescriptor()));
    }

    @Test
    void responsesOfFilterScoreAndEvaluate_haveEqualFields() {
        assertEquals(fields(EvaluateResponse.getDescriptor()), fields(FilterResponse.getDescriptor()));
        assertEquals(fields(EvaluateResponse.getDescriptor()), fields(ScoreResponse.getDescriptor()));
    }

    @Test
    void formsOfAnAnswer_shareTheNumbersOfWhatTheyShare() {
        assertShared(
                Set.of("hard_constraint_count", "soft_constraint_count", "candidate_count", "passed_count"),
                ReadableAnswer.getDescriptor(),
                PackedAnswer.getDescriptor());
        assertShared(
                Set.of("hard_constraint_count", "soft_constraint_count", "best_indexes"),
                PackedAnswer.getDescriptor(),
                BestAnswer.getDescriptor());
    }

    @Test
    void objectKinds_areTheFieldsOfClusterObject() {
        Map<Integer, String> kinds = new TreeMap<>();
        for (EnumValueDescriptor kind : ObjectKind.getDescriptor().getValues()) {
            if (kind.getNumber() != 0) {
                kinds.put(
                        kind.getNumber(),
                        kind.getName().substring("OBJECT_KIND_".length()).toLowerCase(Locale.ROOT));
            }
        }
        Map<Integer, String> objects = new TreeMap<>();
        ClusterObject.getDescriptor().getFields().forEach(field -> objects.put(field.getNumber(), field.getName()));
        assertFalse(kinds.isEmpty());
        assertEquals(objects, kinds);
    }

    /** The engine's kinds are numbered by their positions. */
    @Test
    void objectKinds_areTheEnginesOfTheSameName() {
        for (io.evenkeel.engine.model.ObjectKind kind : io.evenkeel.engine.model.ObjectKind.ALL) {
            assertEquals("OBJECT_KIND_" + kind, KindMessages.inMessages(kind).name());
            assertEquals(kind, KindMessages.ofNumber(KindMessages.number(kind)));
            assertEquals(
                    kind.name().toLowerCase(Locale.ROOT),
                    KindMessages.field(kind).getName());
            assertEquals(
                    kind.kindName(),
                    KindMessages.prototype(kind).getDescriptorForType().getName());
        }
        int known = io.evenkeel.engine.model.ObjectKind.ALL.size();
        assertEquals(ClusterObject.getDescriptor().getFields().size(), known);
        assertNull(KindMessages.ofNumber(0));
        assertNull(KindMessages.ofNumber(known + 1));
    }

    @Test
    void acknowledgements_shareTheirNumbers() {
        assertShared(
                Set.of("revision", "refusals", "applied_count"),
                SyncResponse.getDescriptor(),
                ApplyResponse.getDescriptor());
        assertShared(Set.of("revision", "refusals"), SyncResponse.getDescriptor(), AssumeResponse.getDescriptor());
    }

    @Test
    void applyRequest_isReadAsEvents() {
        assertEquals(fields(Events.getDescriptor()), fields(ApplyRequest.getDescriptor()));
    }

    /** What must be equal in bytes and code: number, name, type and label of each field. */
    private static Map<Integer, String> fields(Descriptor type) {
        return type.getFields().stream()
                .collect(Collectors.toMap(
                        FieldDescriptor::getNumber, EqualFieldNumbersTest::text, (a, b) -> a, TreeMap::new));
    }

    private static String text(FieldDescriptor field) {
        String type = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                ? field.getMessageType().getFullName()
                : field.getType().toString();
        return (field.isRepeated() ? "repeated " : field.toProto().getProto3Optional() ? "optional " : "") + type + " "
                + field.getName();
    }

    private static void assertShared(Set<String> names, Descriptor one, Descriptor other) {
        for (String name : names) {
            FieldDescriptor field = one.findFieldByName(name);
            FieldDescriptor same = other.findFieldByName(name);
            assertEquals(field.getNumber() + " " + text(field), same.getNumber() + " " + text(same));
        }
    }
}
