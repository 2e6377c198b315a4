package io.evenkeel.placement.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.AddedPod;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests that an overlay read from bytes equals that of the generated classes. */
final class OverlayReaderTest {
    private static final String UUID = "6f1c9d4e-0000-4000-8000-00000000000a";
    private static final int MAX_PODS = 5;

    @Test
    void references_areRead_byUidFirst() {
        io.evenkeel.v1.Overlay message = io.evenkeel.v1.Overlay.newBuilder()
                .addWithout(PodReference.newBuilder().setUid(UUID).setName("not-asked"))
                .addWithout(PodReference.newBuilder().setUid("opaque"))
                .addWithout(PodReference.newBuilder().setNamespace("shop").setName("web-1"))
                .addAdd(AddedPod.newBuilder()
                        .setReference(PodReference.newBuilder().setName("web-2"))
                        .setNode("z1"))
                .build();
        Overlay overlay = OverlayReader.read(message, MAX_PODS).overlay();
        List<PodKey> keys = List.of(PodKey.ofUid(UUID), PodKey.ofUid("opaque"), PodKey.ofName("shop", "web-1"));
        assertEquals(keys, overlay.without());
        assertEquals(List.of(UUID, "opaque", ""), keys.stream().map(PodKey::uid).toList());
        assertEquals(List.of(new Overlay.Known(PodKey.ofName("default", "web-2"), "z1")), overlay.added());
    }

    @Test
    void pods_areRead_withTheNodeThatIsNamedOutsideFirst() {
        Pod pod = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setUid("u")
                        .setResourceVersion("no number")
                        .putLabels("app", "web"))
                .setSpec(PodSpec.newBuilder().setNodeName("z1"))
                .setStatus(PodStatus.newBuilder().setPhase("Failed"))
                .build();
        io.evenkeel.v1.Overlay message = io.evenkeel.v1.Overlay.newBuilder()
                .addAdd(AddedPod.newBuilder().setObject(pod))
                .addAdd(AddedPod.newBuilder().setObject(pod).setNode("z2"))
                .build();
        assertEquals(
                List.of(failed("z1"), failed("z2")),
                OverlayReader.read(message, MAX_PODS).overlay().added());
    }

    private static Overlay.InFull failed(String node) {
        return new Overlay.InFull(new PodObject("default", "", "u", 0, Map.of("app", "web"), node, false, true));
    }

    /** Pieces of a message are merged, and the last field of a oneof wins. */
    @Test
    void pieces_areMerged_asTheGeneratedParserDoes() throws InvalidProtocolBufferException {
        AddedPod first = AddedPod.newBuilder()
                .setObject(Pod.newBuilder().setMetadata(ObjectMeta.newBuilder().setName("a")))
                .build();
        AddedPod second = AddedPod.newBuilder()
                .setObject(Pod.newBuilder().setSpec(PodSpec.newBuilder().setNodeName("z1")))
                .build();
        AddedPod uid = AddedPod.newBuilder()
                .setReference(PodReference.newBuilder().setUid("u"))
                .build();
        AddedPod name = AddedPod.newBuilder()
                .setReference(PodReference.newBuilder().setNamespace("shop").setName("n"))
                .setNode("z2")
                .build();
        for (List<AddedPod> pieces :
                List.of(List.of(first, second), List.of(first, uid), List.of(uid, first), List.of(uid, name))) {
            ByteString added = ByteString.EMPTY;
            for (AddedPod piece : pieces) {
                added = added.concat(piece.toByteString());
            }
            io.evenkeel.v1.Overlay merged = io.evenkeel.v1.Overlay.newBuilder()
                    .addAdd(AddedPod.parseFrom(added))
                    .build();
            ByteString field = ByteString.copyFrom(
                    new byte[] {(byte) (io.evenkeel.v1.Overlay.ADD_FIELD_NUMBER << 3 | 2), (byte) added.size()});
            assertEquals(
                    OverlayReader.read(merged, MAX_PODS).overlay(),
                    scanned(field.concat(added).toByteArray()));
        }
    }

    @Test
    void bytesThatAreNoOverlay_areRefused() {
        assertThrows(InvalidProtocolBufferException.class, () -> scanned(new byte[] {10, 5, 10}));
        // A UID that is not UTF-8.
        assertThrows(InvalidProtocolBufferException.class, () -> scanned(new byte[] {10, 3, 10, 1, (byte) 0xff}));
    }

    @Test
    void tooManyEntries_areRefused_andNotKept() {
        io.evenkeel.v1.Overlay.Builder message = io.evenkeel.v1.Overlay.newBuilder();
        for (int i = 0; i <= MAX_PODS; i++) {
            message.addWithout(PodReference.newBuilder().setUid("u"));
        }
        OverlayReader.Read read = OverlayReader.read(message.build(), MAX_PODS);
        RequestException refusal = Objects.requireNonNull(read.refusal());
        assertEquals(ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, refusal.reason());
        assertEquals("overlay.without", refusal.violations().get(0).getField());
        assertEquals(Overlay.NONE, read.overlay());
    }

    private static Overlay scanned(byte[] bytes) throws InvalidProtocolBufferException {
        OverlayReader reader = new OverlayReader(MAX_PODS);
        reader.scan(new WireCursor(bytes, 0, bytes.length));
        return reader.finish().overlay();
    }
}
