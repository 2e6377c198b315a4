package io.evenkeel.placement.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.WireFormat;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.Queries;
import io.evenkeel.v1.AddedPod;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that requests mean the same in every encoding that the generated parser accepts: fields in any order, split
 * messages, values replaced by later ones, unknown fields, and overlong numbers.
 */
final class UnusualEncodingsTest {
    private static final int ROUNDS = 500;
    private static final int UNKNOWN_FIELD = 900;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void request_meansTheSame_inEveryEncoding(long seed) throws IOException {
        RandomChoices dice = new RandomChoices(seed);
        try (Instance instance = new Instance(InstanceOptions.standard())) {
            for (int round = 0; round < ROUNDS; round++) {
                checkCases(dice, instance, whatIf(dice));
                checkQuery(dice, instance, evaluate(dice));
                checkStreamed(dice, instance, streamed(dice));
            }
        }
    }

    private static void checkCases(RandomChoices dice, Instance instance, WhatIfRequest request) throws IOException {
        byte[] unusual = encoded(dice, request);
        assertEquals(
                request, DiscardUnknownFieldsParser.wrap(WhatIfRequest.parser()).parseFrom(unusual));
        CaseQuery expected = instance.placement().whatIf().read(request.toByteArray(), () -> false);
        CaseQuery read = instance.placement().whatIf().read(unusual, () -> false);
        assertEquals(cases(expected), cases(read));
        assertEquals(expected.caseCount(), read.caseCount());
        assertEquals(expected.podCount(), read.podCount());
        assertEquals(expected.defaults(), read.defaults());
        assertEquals(expected.freshness(), read.freshness());
        assertEquals(expected.session(), read.session());
        assertEquals(expected.pod() == null, read.pod() == null);
    }

    private static List<String> cases(CaseQuery query) {
        return query.cases().stream()
                .map(each -> each.node() + " " + text(each.overlay()))
                .toList();
    }

    private static String text(OverlayReader.Read read) {
        // If several entries are wrong, the first one in the bytes is reported.
        return read.overlay() + (read.refusal() == null ? "" : " refused");
    }

    private static String textOrNone(OverlayReader.@Nullable Read read) {
        return text(read == null ? OverlayReader.Read.NONE : read);
    }

    private static void checkQuery(RandomChoices dice, Instance instance, EvaluateRequest request) throws IOException {
        byte[] unusual = encoded(dice, request);
        assertSame(
                Queries.of(instance.placement()).read(PodQuery.Kind.EVALUATE, request.toByteArray()),
                Queries.of(instance.placement()).read(PodQuery.Kind.EVALUATE, unusual));
        PodQuery atOnce = instance.placement().evaluate().readAtOnce(unusual);
        assertNotNull(atOnce);
        assertSame(Queries.of(instance.placement()).read(PodQuery.Kind.EVALUATE, unusual), atOnce);
    }

    private static void checkStreamed(RandomChoices dice, Instance instance, EvaluateStreamRequest request)
            throws IOException {
        StreamQuery expected = instance.placement().evaluateStream().read(request.toByteArray(), () -> false);
        StreamQuery read = instance.placement().evaluateStream().read(encoded(dice, request), () -> false);
        assertSame(expected.query(), read.query());
        assertEquals(expected.tag(), read.tag());
        assertEquals(request.getTimeout(), read.timeout());
    }

    private static void assertSame(PodQuery expected, PodQuery read) {
        assertEquals(expected.pods().size(), read.pods().size());
        assertEquals(expected.options().message(), read.options().message());
        assertEquals(expected.freshness(), read.freshness());
        assertEquals(expected.knownNodeTableToken(), read.knownNodeTableToken());
        assertEquals(textOrNone(expected.overlay()), textOrNone(read.overlay()));
        assertEquals(expected.session(), read.session());
    }

    // ---- Requests

    private static WhatIfRequest whatIf(RandomChoices dice) {
        WhatIfRequest.Builder request = WhatIfRequest.newBuilder();
        if (dice.chance(0.9)) {
            request.setPod(pod(dice));
        }
        for (int i = dice.below(4); i > 0; i--) {
            WhatIfCase.Builder each = request.addCasesBuilder().setNode(word(dice));
            if (dice.chance(0.8)) {
                each.setOverlay(overlay(dice));
            }
        }
        if (dice.chance(0.3)) {
            request.setDefaults(DefaultConstraints.newBuilder().setTypeValue(dice.below(3)));
        }
        if (dice.chance(0.3)) {
            request.setFreshness(freshness(dice));
        }
        return request.setSession(dice.chance(0.3) ? word(dice) : "").build();
    }

    private static EvaluateRequest evaluate(RandomChoices dice) {
        EvaluateRequest.Builder request = EvaluateRequest.newBuilder();
        for (int i = dice.below(3); i > 0; i--) {
            request.addPods(pod(dice));
        }
        if (dice.chance(0.5)) {
            request.setOptions(QueryOptions.newBuilder()
                    .setMaxBest(dice.below(3))
                    .setFormValue(dice.below(4))
                    .setEveryNode(dice.chance(0.5)));
        }
        if (dice.chance(0.4)) {
            request.setFreshness(freshness(dice));
        }
        if (dice.chance(0.4)) {
            request.setKnownNodeTableToken(dice.chance(0.5) ? "" : word(dice));
        }
        if (dice.chance(0.5)) {
            request.setOverlay(overlay(dice));
        }
        return request.setSession(dice.chance(0.3) ? word(dice) : "").build();
    }

    private static EvaluateStreamRequest streamed(RandomChoices dice) {
        EvaluateStreamRequest.Builder request =
                EvaluateStreamRequest.newBuilder().setTag(dice.below(1_000) - 500);
        if (dice.chance(0.8)) {
            request.setRequest(evaluate(dice));
        }
        if (dice.chance(0.4)) {
            request.setTimeout(Duration.newBuilder().setSeconds(dice.below(60)).setNanos(dice.below(10)));
        }
        return request.build();
    }

    private static Freshness freshness(RandomChoices dice) {
        return Freshness.newBuilder()
                .setRevision(Revision.newBuilder().setInstance(word(dice)).setCounter(dice.below(5)))
                .setMaxAge(Duration.newBuilder().setSeconds(dice.below(3)))
                .setIncludeResourceVersions(dice.chance(0.5))
                .build();
    }

    private static Overlay overlay(RandomChoices dice) {
        Overlay.Builder overlay = Overlay.newBuilder();
        for (int i = dice.below(3); i > 0; i--) {
            overlay.addWithout(reference(dice));
        }
        for (int i = dice.below(3); i > 0; i--) {
            AddedPod.Builder added = overlay.addAddBuilder().setNode(dice.chance(0.5) ? word(dice) : "");
            if (dice.chance(0.5)) {
                added.setObject(pod(dice));
            } else if (dice.chance(0.9)) {
                added.setReference(reference(dice));
            }
        }
        return overlay.build();
    }

    private static PodReference reference(RandomChoices dice) {
        return PodReference.newBuilder()
                .setUid(dice.chance(0.5) ? word(dice) : "")
                .setNamespace(dice.chance(0.5) ? word(dice) : "")
                .setName(dice.chance(0.8) ? word(dice) : "")
                .build();
    }

    private static Pod pod(RandomChoices dice) {
        ObjectMeta.Builder metadata = ObjectMeta.newBuilder()
                .setName(dice.chance(0.5) ? word(dice) : "")
                .setNamespace(dice.chance(0.5) ? word(dice) : "")
                .setUid(dice.chance(0.5) ? word(dice) : "");
        for (int i = dice.below(3); i > 0; i--) {
            metadata.putLabels(word(dice), word(dice));
        }
        Pod.Builder pod = Pod.newBuilder().setMetadata(metadata);
        if (dice.chance(0.5)) {
            pod.setSpec(PodSpec.newBuilder().setNodeName(word(dice)).setSchedulerName(word(dice)));
        }
        if (dice.chance(0.3)) {
            pod.setStatus(PodStatus.newBuilder().setPhase(dice.pick(List.of("Failed", "Running", "Succeeded"))));
        }
        return pod.build();
    }

    private static String word(RandomChoices dice) {
        return dice.pick(List.of(
                "a", "web", "node-1", "\u00e9t\u00e9", "00000000-0000-0001-0000-000000000002", "x".repeat(200)));
    }

    // ---- Encodings

    /** A random encoding that the generated parser reads as this message. */
    private static byte[] encoded(RandomChoices dice, Message message) throws IOException {
        // The entries of one field or oneof keep their order; all others are mixed.
        Map<String, List<byte[]>> lanes = new LinkedHashMap<>();
        for (Map.Entry<FieldDescriptor, Object> set : message.getAllFields().entrySet()) {
            FieldDescriptor field = set.getKey();
            String lane = field.getRealContainingOneof() == null
                    ? field.getName()
                    : field.getRealContainingOneof().getName();
            List<byte[]> entries = lanes.computeIfAbsent(lane, name -> new ArrayList<>());
            if (field.isRepeated()) {
                for (Object value : (List<?>) set.getValue()) {
                    entries.add(entry(dice, field, value));
                }
            } else {
                replaced(dice, field, entries);
                for (Object piece : pieces(dice, set.getValue())) {
                    entries.add(entry(dice, field, piece));
                }
            }
        }
        for (int i = dice.below(3); i > 0; i--) {
            lanes.put("unknown " + i, List.of(unknown(dice)));
        }
        return mixed(dice, new ArrayList<>(lanes.values()));
    }

    /**
     * Values that the field's own value replaces: of the field itself unless it is a message, or of another case of its
     * oneof.
     */
    private static void replaced(RandomChoices dice, FieldDescriptor field, List<byte[]> entries) throws IOException {
        if (dice.chance(0.3) && field.getJavaType() == FieldDescriptor.JavaType.STRING) {
            entries.add(entry(dice, field, "replaced"));
        }
        if (dice.chance(0.3) && field.getRealContainingOneof() != null) {
            for (FieldDescriptor other : field.getRealContainingOneof().getFields()) {
                if (other != field) {
                    entries.add(entry(dice, other, some(other)));
                }
            }
        }
    }

    /** A pod or a reference to one, depending on the field. */
    private static Message some(FieldDescriptor field) {
        return field.getMessageType() == Pod.getDescriptor()
                ? Pod.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder().setUid("replaced"))
                        .build()
                : PodReference.newBuilder().setUid("replaced").build();
    }

    /** The value or, sometimes for a message, two pieces that merge to it. */
    private static List<Object> pieces(RandomChoices dice, Object value) {
        if (!(value instanceof Message whole) || dice.chance(0.6)) {
            return List.of(value);
        }
        Message.Builder first = whole.newBuilderForType();
        Message.Builder second = whole.newBuilderForType();
        whole.getAllFields().forEach((part, of) -> {
            boolean oneof = part.getRealContainingOneof() != null;
            (oneof || dice.chance(0.5) ? first : second).setField(part, of);
        });
        return List.of(first.build(), second.build());
    }

    private static byte[] entry(RandomChoices dice, FieldDescriptor field, Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        if (value instanceof Message || value instanceof String) {
            byte[] content = value instanceof Message nested
                    ? encoded(dice, nested)
                    : ByteString.copyFromUtf8((String) value).toByteArray();
            number(dice, out, field.getNumber() << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED);
            number(dice, out, content.length);
            out.writeRawBytes(content);
        } else {
            number(dice, out, field.getNumber() << 3 | WireFormat.WIRETYPE_VARINT);
            out.writeUInt64NoTag(numberOf(value));
        }
        out.flush();
        return bytes.toByteArray();
    }

    private static long numberOf(Object value) {
        if (value instanceof Boolean truth) {
            return truth ? 1 : 0;
        }
        return value instanceof EnumValueDescriptor constant ? constant.getNumber() : ((Number) value).longValue();
    }

    /** Writes a number, sometimes with more bytes than needed. */
    private static void number(RandomChoices dice, CodedOutputStream out, int value) throws IOException {
        if (dice.chance(0.2) && value < 1 << 14) {
            out.writeRawByte((byte) (value & 0x7f | 0x80));
            out.writeRawByte((byte) (value >>> 7 | 0x80));
            out.writeRawByte((byte) 0);
        } else {
            out.writeUInt32NoTag(value);
        }
    }

    private static byte[] unknown(RandomChoices dice) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        switch (dice.below(4)) {
            case 0 -> out.writeString(UNKNOWN_FIELD, "unknown");
            case 1 -> out.writeInt64(UNKNOWN_FIELD, -1);
            case 2 -> out.writeFixed32(UNKNOWN_FIELD, 7);
            // A number in place of the known string or message.
            default -> out.writeFixed64(1, 7);
        }
        out.flush();
        return bytes.toByteArray();
    }

    private static byte[] mixed(RandomChoices dice, List<List<byte[]>> lanes) {
        List<List<byte[]>> left = new ArrayList<>();
        lanes.forEach(lane -> left.add(new ArrayList<>(lane)));
        left.removeIf(List::isEmpty);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        while (!left.isEmpty()) {
            int at = dice.below(left.size());
            out.writeBytes(left.get(at).remove(0));
            if (left.get(at).isEmpty()) {
                Collections.swap(left, at, left.size() - 1);
                left.remove(left.size() - 1);
            }
        }
        return out.toByteArray();
    }
}
