package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.WireFormat;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.SyncRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the cursor and the shapes refuse exactly the bytes that the generated parsers refuse. */
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
    void tamperedMessages_areRefused_whereTheGeneratedParserRefuses() throws IOException {
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

    /** Answers whether the bytes parse. */
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

    /** A pod that carries something of all that is known of pods. */
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
