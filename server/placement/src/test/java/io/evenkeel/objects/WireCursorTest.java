package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.WireFormat;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.SyncRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the cursor and the shapes reject exactly the bytes that the generated parsers reject. */
final class WireCursorTest {
    private static final int MUTATIONS = 20_000;

    @Test
    void fields_areReadOneByOne() throws Exception {
        byte[] bytes = HexFormat.of().parseHex("0896011202686918ffffffffffffffffff01" + "22020801");
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        assertTrue(wire.next());
        assertEquals(WireCursor.varint(1), wire.tag());
        assertEquals(150, wire.readVarint());
        assertTrue(wire.next());
        assertEquals(WireCursor.delimited(2), wire.tag());
        wire.readString();
        assertEquals("hi", new String(bytes, wire.from(), wire.position() - wire.from(), "UTF-8"));
        assertTrue(wire.next());
        assertEquals(-1, wire.readVarint());
        assertTrue(wire.next());
        assertEquals(4, wire.field());
        int outer = wire.enter();
        assertTrue(wire.next());
        assertEquals(1, wire.readVarint());
        assertFalse(wire.next());
        wire.leave(outer);
        assertFalse(wire.next());
    }

    @Test
    void tamperedMessages_areRefused_ifTheGeneratedParserRefuses() throws IOException {
        Random random = new Random(7);
        List<byte[]> messages = List.of(
                sync("pod").toByteArray(),
                sync("pod-terminating").toByteArray(),
                SyncRequest.newBuilder()
                        .setEvents(Events.newBuilder()
                                .addEvents(ClusterEvent.newBuilder()
                                        .setObject(ClusterObject.newBuilder().setPod(richPod()))))
                        .build()
                        .toByteArray());
        int refused = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bytes = WireMutations.mutated(messages.get(i % messages.size()), random);
            refused += assertJudgedAlike(bytes, SyncRequest.getDefaultInstance()) ? 0 : 1;
        }
        assertTrue(refused > MUTATIONS / 10 && refused < MUTATIONS * 9 / 10, refused + " refused");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 98, 99, 100, 101, 200})
    void groupsWithinEachOther_areRefused_beyondTheDepthOfTheGeneratedParser(int depth) throws IOException {
        byte[] groups = groups(depth);
        assertEquals(depth <= 100, assertJudgedAlike(groups, Pod.getDefaultInstance()));
        ByteArrayOutputStream within = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(within);
        out.writeByteArray(Pod.METADATA_FIELD_NUMBER, groups);
        out.flush();
        assertEquals(depth <= 99, assertJudgedAlike(within.toByteArray(), Pod.getDefaultInstance()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0a",
                "0a01",
                "0a80",
                "0affffffff0f",
                "0a8080808080808080808001",
                "0a8080808080808080808000",
                "0aff80808080808080808000",
                "8a8080808000" + "00",
                "0a020a00",
                "00",
                "02",
                "0b",
                "0c",
                "0b0c",
                "0b14",
                "0b0b0c",
                "0b0a",
                "0e",
                "0f",
                "0801",
                "09",
                "090102030405060708",
                "0d010203",
                "0d01020304",
                "0880808080808080808001",
                "088080808080808080808001",
                "0a050a03efbfbf",
                "0a050a03eda080",
                "0a040a02c080",
                "0a060a04f4908080"
            })
    void oddBytes_areJudgedAsTheGeneratedParserDoes(String hex) throws IOException {
        assertJudgedAlike(HexFormat.of().parseHex(hex), Pod.getDefaultInstance());
    }

    /** Tags, lengths and values are often longer than necessary, or at the limits of one and two bytes. */
    @Test
    void oddlyWrittenMessages_areJudgedAsTheGeneratedParserDoes() throws IOException {
        Random random = new Random(19);
        for (Message type : List.of(Pod.getDefaultInstance(), ClusterObject.getDefaultInstance())) {
            int refused = 0;
            for (int i = 0; i < MUTATIONS; i++) {
                byte[] bytes = new OddWriter(random, i % 2 == 0 ? 0 : 15).message(type.getDescriptorForType());
                refused += assertJudgedAlike(bytes, type) ? 0 : 1;
            }
            assertTrue(refused > MUTATIONS / 10 && refused < MUTATIONS * 9 / 10, refused + " refused");
        }
    }

    /** Messages truncated anywhere have the same result, and nothing beyond the end is read. */
    @Test
    void oddlyWrittenMessages_areJudgedAsTheGeneratedParserDoes_whereverTheyEnd() throws IOException {
        Random random = new Random(23);
        for (int i = 0; i < 200; i++) {
            byte[] whole = new OddWriter(random, 0).message(Pod.getDescriptor());
            for (int end = 0; end <= Math.min(whole.length, 300); end++) {
                assertJudgedAlike(Arrays.copyOf(whole, end), Pod.getDefaultInstance());
            }
        }
    }

    /** Writes random messages of known types, in unusual encodings. */
    private static final class OddWriter {
        private static final int[] LENGTHS = {0, 1, 7, 8, 9, 126, 127, 128, 129, 16_382, 16_383, 16_384};
        private static final int[] UNKNOWN = {14, 15, 16, 17, 2_046, 2_047, 2_048, 2_049, (1 << 29) - 1};
        private static final long[] VALUES = {0, 1, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, -1, Long.MIN_VALUE};
        private static final String[] STRAYS = {"80", "c080", "eda080", "f4908080", "c3", "e28228", "ff"};

        private final Random random;

        /** One field in five times this number is malformed; 0 if none is. */
        private final int faultEvery;

        OddWriter(Random random, int faultEvery) {
            this.random = random;
            this.faultEvery = faultEvery * 5;
        }

        byte[] message(Descriptor type) {
            return message(type, 0);
        }

        private byte[] message(Descriptor type, int depth) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            List<FieldDescriptor> fields = type.getFields();
            for (int left = random.nextInt(depth == 0 ? 6 : 4); left > 0; left--) {
                if (fields.isEmpty() || random.nextInt(6) == 0) {
                    writeAnyField(out, UNKNOWN[random.nextInt(UNKNOWN.length)], depth);
                    continue;
                }
                FieldDescriptor field = fields.get(random.nextInt(fields.size()));
                if (random.nextInt(12) == 0) {
                    writeAnyField(out, field.getNumber(), depth);
                } else {
                    writeField(out, field, depth);
                }
                if (isFault()) {
                    byte[] fault = HexFormat.of()
                            .parseHex(List.of("00", "0c", "0e", "80", "0aff01", "7b7c74")
                                    .get(random.nextInt(6)));
                    out.writeBytes(fault);
                }
            }
            return out.toByteArray();
        }

        private boolean isFault() {
            return faultEvery > 0 && random.nextInt(faultEvery) == 0;
        }

        private void writeField(ByteArrayOutputStream out, FieldDescriptor field, int depth) {
            switch (field.getJavaType()) {
                case STRING -> {
                    writeTag(out, field.getNumber(), 2);
                    writeDelimited(out, text());
                }
                case MESSAGE -> {
                    writeTag(out, field.getNumber(), 2);
                    writeDelimited(out, message(field.getMessageType(), depth + 1));
                }
                default -> {
                    writeTag(out, field.getNumber(), 0);
                    writeVarint(out, VALUES[random.nextInt(VALUES.length)]);
                }
            }
        }

        /** Writes a field with any wire type, not necessarily its own. */
        private void writeAnyField(ByteArrayOutputStream out, int field, int depth) {
            int type = List.of(0, 1, 2, 3, 5).get(random.nextInt(5));
            writeTag(out, field, type);
            switch (type) {
                case 0 -> writeVarint(out, VALUES[random.nextInt(VALUES.length)]);
                case 1 -> out.writeBytes(new byte[8]);
                case 2 -> writeDelimited(out, text());
                case 3 -> {
                    out.writeBytes(message(Pod.getDescriptor(), depth + 2));
                    writeTag(out, field, 4);
                }
                default -> out.writeBytes(new byte[4]);
            }
        }

        private byte[] text() {
            int length = LENGTHS[random.nextInt(random.nextInt(8) == 0 ? LENGTHS.length : 9)];
            byte[] text = new byte[length];
            Arrays.fill(text, (byte) 'a');
            if (length > 1 && random.nextInt(4) == 0) {
                int at = random.nextInt(length - 1);
                text[at] = (byte) 0xc3;
                text[at + 1] = (byte) 0xa4;
            }
            if (isFault()) {
                byte[] stray = HexFormat.of().parseHex(STRAYS[random.nextInt(STRAYS.length)]);
                int count = Math.min(length, stray.length);
                System.arraycopy(stray, 0, text, random.nextInt(length - count + 1), count);
            }
            return text;
        }

        private void writeDelimited(ByteArrayOutputStream out, byte[] value) {
            int wrong = isFault() ? random.nextInt(5) - 2 : 0;
            writeOfInt(out, value.length + wrong);
            out.writeBytes(value);
        }

        private void writeTag(ByteArrayOutputStream out, int field, int type) {
            writeOfInt(out, field << 3 | type);
        }

        /** 32-bit readers drop the higher bits. */
        private void writeOfInt(ByteArrayOutputStream out, int value) {
            long high = random.nextInt(20) == 0 ? random.nextLong() << 32 : 0;
            writeVarint(out, value & 0xffff_ffffL | high);
        }

        private void writeVarint(ByteArrayOutputStream out, long value) {
            int more = random.nextInt(8) == 0 ? random.nextInt(10) : 0;
            long left = value;
            int written = 0;
            while ((left & ~0x7fL) != 0 || more > 0 && written < (isFault() ? 10 : 9)) {
                out.write((int) (left & 0x7f | 0x80));
                left >>>= 7;
                more--;
                written++;
            }
            out.write((int) left);
        }
    }

    /** The checked message need not be the whole array, and can be deep in another message. */
    @Test
    void messages_areNotRead_beyondTheDepthOfTheGeneratedParser_whereverTheyStand() throws IOException {
        byte[] bytes = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().putLabels("a", "b"))
                .build()
                .toByteArray();
        byte[] among = new byte[bytes.length + 9];
        Arrays.fill(among, (byte) 0xff);
        System.arraycopy(bytes, 0, among, 4, bytes.length);
        WireShape shape = WireShape.of(Pod.getDescriptor());
        WireCursor deepest = new WireCursor(among, 4, 4 + bytes.length, 98);
        shape.checkFields(deepest);
        assertEquals(4 + bytes.length, deepest.position());
        assertFalse(deepest.next());
        for (int depth : List.of(99, 100)) {
            WireCursor tooDeep = new WireCursor(among, 4, 4 + bytes.length, depth);
            assertThrows(InvalidProtocolBufferException.class, () -> shape.checkFields(tooDeep));
        }
    }

    /** Returns whether the bytes parse. */
    private static boolean assertJudgedAlike(byte[] bytes, Message type) {
        Parser<? extends Message> parser = DiscardUnknownFieldsParser.wrap(type.getParserForType());
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        WireShape shape = WireShape.of(type.getDescriptorForType());
        try {
            parser.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            assertThrows(
                    InvalidProtocolBufferException.class,
                    () -> shape.checkFields(wire),
                    () -> HexFormat.of().formatHex(bytes) + ": " + e.getMessage());
            return false;
        }
        try {
            shape.checkFields(wire);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(HexFormat.of().formatHex(bytes) + " parses", e);
        }
        return true;
    }

    private static SyncRequest sync(String sample) throws IOException {
        byte[] pod;
        try (var file = WireCursorTest.class.getResourceAsStream("/wire/" + sample + ".bin")) {
            pod = Objects.requireNonNull(file).readAllBytes();
        }
        return SyncRequest.newBuilder()
                .setEvents(Events.newBuilder()
                        .addEvents(ClusterEvent.newBuilder()
                                .setTypeValue(1)
                                .setObject(ClusterObject.newBuilder().setPod(Pod.parseFrom(pod)))))
                .build();
    }

    /** A pod with a value in every known field. */
    private static Pod richPod() throws IOException {
        Pod.Builder pod = Pod.newBuilder();
        JsonFormat.parser().merge("""
                        {"metadata": {"name": "wëb-1", "labels": {"äpp": "wéb"}, "ownerReferences": [{"kind": "ReplicaSet", "controller": true}]},
                         "spec": {"nodeSelector": {"a": "b"}, "tolerations": [{"key": "k", "tolerationSeconds": 3}],
                          "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms":
                            [{"matchExpressions": [{"key": "x", "operator": "In", "values": ["y", "z"]}]}]}}},
                          "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "labelSelector": {"matchLabels": {"q": "r"}}}]},
                         "status": {"phase": "Pending"}}""", pod);
        return pod.build();
    }

    private static byte[] groups(int depth) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        for (int i = 0; i < depth; i++) {
            out.writeTag(15, WireFormat.WIRETYPE_START_GROUP);
        }
        for (int i = 0; i < depth; i++) {
            out.writeTag(15, WireFormat.WIRETYPE_END_GROUP);
        }
        out.flush();
        return bytes.toByteArray();
    }
}
