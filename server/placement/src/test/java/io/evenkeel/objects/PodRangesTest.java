package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.StringValue;
import io.evenkeel.v1.Affinity;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.NodeAffinity;
import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import io.evenkeel.v1.ResourceRequirements;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that fields outside a pod's key change neither its meaning nor whether it is rejected. */
final class PodRangesTest {
    private static final int SAMPLES = 4_000;

    private final PodRanges ranges = new PodRanges();

    /**
     * The result of {@link IncomingPodTranslator} and of the choice of defaults for some bytes, which may be an error.
     */
    private static Object meaning(byte[] bytes) throws InvalidProtocolBufferException {
        Pod pod = DiscardUnknownFieldsParser.wrap(Pod.parser()).parseFrom(bytes);
        try {
            return Map.entry(
                    new IncomingPodTranslator(PodLimits.DEFAULT).translate(pod),
                    pod.getSpec().getSchedulerName());
        } catch (InvalidObjectException e) {
            return e.violations();
        }
    }

    private boolean find(byte[] bytes) {
        try {
            return ranges.find(new WireCursor(bytes, 0, bytes.length)) && ranges.addNodeName();
        } catch (InvalidProtocolBufferException e) {
            return false;
        }
    }

    private byte[] key(Pod pod) {
        assertTrue(find(pod.toByteArray()));
        return ranges.copy();
    }

    @Test
    void replicas_haveOneKey_andOneHash() {
        PodSamples samples = new PodSamples(1);
        for (int i = 0; i < SAMPLES; i++) {
            Pod pod = samples.pod();
            byte[] key = key(pod);
            long hash = ranges.hash();
            assertEquals(key.length, ranges.size());
            assertTrue(find(samples.replica(pod).toByteArray()));
            assertTrue(ranges.isKey(key), pod::toString);
            assertEquals(hash, ranges.hash());
        }
    }

    @Test
    void podsOfOneKey_meanTheSame() throws Exception {
        PodSamples samples = new PodSamples(2);
        Map<ByteString, Object> meanings = new HashMap<>();
        int met = 0;
        for (int i = 0; i < SAMPLES; i++) {
            Pod pod = samples.pod();
            Object meaning = meaning(pod.toByteArray());
            Object other = meanings.putIfAbsent(ByteString.copyFrom(key(pod)), meaning);
            if (other != null) {
                assertEquals(other, meaning);
                met++;
            }
        }
        assertTrue(met > SAMPLES / 40, "only " + met + " pods of a key met before");
    }

    @Test
    void spoiltBytes_thatKeepTheirKey_areReadAsBefore() throws Exception {
        PodSamples samples = new PodSamples(3);
        int kept = 0;
        int refused = 0;
        for (int i = 0; i < SAMPLES; i++) {
            Pod pod = samples.pod();
            byte[] whole = pod.toByteArray();
            byte[] key = key(pod);
            Object meaning = meaning(whole);
            for (int j = 0; j < 20; j++) {
                byte[] spoilt = samples.mutated(whole);
                if (find(spoilt) && ranges.isKey(key)) {
                    assertEquals(meaning, meaning(spoilt), () -> Arrays.toString(spoilt));
                    kept++;
                } else {
                    refused++;
                }
            }
        }
        assertTrue(kept > SAMPLES && refused > SAMPLES, kept + " kept their key, " + refused + " did not");
    }

    static Stream<Arguments> changes() {
        return Stream.of(
                change("namespace", pod -> pod.getMetadataBuilder().setNamespace("another")),
                change("a label's value", pod -> pod.getMetadataBuilder().putLabels("app", "other")),
                change("a label more", pod -> pod.getMetadataBuilder().putLabels("b", "")),
                change(
                        "an owner more",
                        pod -> pod.getMetadataBuilder()
                                .addOwnerReferences(OwnerReference.newBuilder().setController(true))),
                change(
                        "whether an owner controls",
                        pod -> pod.getMetadataBuilder()
                                .getOwnerReferencesBuilder(0)
                                .clearController()),
                change("node selector", pod -> pod.getSpecBuilder().putNodeSelector("a", "b")),
                change(
                        "affinity that matches nothing",
                        pod -> pod.getSpecBuilder()
                                .setAffinity(Affinity.newBuilder()
                                        .setNodeAffinity(NodeAffinity.newBuilder()
                                                .setRequiredDuringSchedulingIgnoredDuringExecution(
                                                        NodeSelector.getDefaultInstance())))),
                change("node that it demands", pod -> pod.getSpecBuilder().setNodeName("n1")),
                change(
                        "request",
                        pod -> pod.getSpecBuilder()
                                .addContainersBuilder()
                                .getResourcesBuilder()
                                .putRequests("cpu", StringValue.of("1"))),
                change("a container more", pod -> pod.getSpecBuilder().addContainersBuilder()),
                change(
                        "host port",
                        pod -> pod.getSpecBuilder()
                                .addContainersBuilder()
                                .addPortsBuilder()
                                .setHostPort(80)),
                change(
                        "restartable init container",
                        pod -> pod.getSpecBuilder().addInitContainersBuilder().setRestartPolicy("Always")),
                change("overhead", pod -> pod.getSpecBuilder().putOverhead("cpu", StringValue.of("1"))),
                change("resources of the pod", pod -> pod.getSpecBuilder().getResourcesBuilder()),
                change("profile", pod -> pod.getSpecBuilder().setSchedulerName("batch")),
                change("toleration", pod -> pod.getSpecBuilder().addTolerations(Toleration.getDefaultInstance())),
                change(
                        "maxSkew",
                        pod -> pod.getSpecBuilder()
                                .getTopologySpreadConstraintsBuilder(0)
                                .setMaxSkew(2)),
                change(
                        "an empty selector for none",
                        pod -> pod.getSpecBuilder()
                                .getTopologySpreadConstraintsBuilder(0)
                                .setLabelSelector(LabelSelector.getDefaultInstance())));
    }

    private static Arguments change(String what, Consumer<Pod.Builder> change) {
        return Arguments.of(what, change);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("changes")
    void changeThatMatters_changesTheKey(String what, Consumer<Pod.Builder> change) {
        Pod pod = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .putLabels("app", "web")
                        .addOwnerReferences(OwnerReference.newBuilder().setController(true)))
                .setSpec(PodSpec.newBuilder()
                        .addTopologySpreadConstraints(
                                TopologySpreadConstraint.newBuilder().setMaxSkew(1)))
                .build();
        byte[] key = key(pod);
        Pod.Builder changed = pod.toBuilder();
        change.accept(changed);
        assertTrue(find(changed.build().toByteArray()));
        assertFalse(ranges.isKey(key), what);
        assertNotEquals(0, ranges.size());
    }

    @Test
    void nodeName_isAddedOnDemand() throws Exception {
        Pod.Builder pod = Pod.newBuilder();
        byte[] key = key(pod.build());
        byte[] bound =
                pod.setSpec(PodSpec.newBuilder().setNodeName("n1")).build().toByteArray();
        assertTrue(ranges.find(new WireCursor(bound, 0, bound.length)));
        assertTrue(ranges.isKey(key));
        assertTrue(ranges.addNodeName());
        assertFalse(ranges.isKey(key));
    }

    @Test
    void uid_isKnown_ifThePodNamesANode() throws Exception {
        Pod.Builder pod = Pod.newBuilder().setMetadata(ObjectMeta.newBuilder().setUid("u"));
        key(pod.build());
        assertEquals("", ranges.uidIfNamingNode());
        pod.getSpecBuilder().setNodeName("n1");
        key(pod.build());
        assertEquals("u", ranges.uidIfNamingNode());
        pod.getMetadataBuilder().setUid("");
        key(pod.build());
        assertEquals("", ranges.uidIfNamingNode());
    }

    @Test
    void fieldsOfTwoContainers_areNotThoseOfOne() throws Exception {
        Container.Builder first = Container.newBuilder()
                .setResources(ResourceRequirements.newBuilder().putRequests("cpu", StringValue.of("1")));
        Container.Builder second = Container.newBuilder()
                .setResources(ResourceRequirements.newBuilder().putRequests("cpu", StringValue.of("2")));
        Pod.Builder both = Pod.newBuilder();
        both.getSpecBuilder().addContainers(first).addContainers(second);
        Container merged = Container.parseFrom(
                first.build().toByteString().concat(second.build().toByteString()));
        Pod.Builder one = Pod.newBuilder();
        one.getSpecBuilder().addContainers(merged);
        assertFalse(Arrays.equals(key(both.build()), key(one.build())));
    }

    @Test
    void partsInPieces_haveTheKeyOfTheirWhole() throws Exception {
        Pod labels = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setName("a").putLabels("app", "web"))
                .build();
        Pod owners = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setUid("b")
                        .addOwnerReferences(OwnerReference.newBuilder().setName("c")))
                .build();
        byte[] pieces = labels.toByteString().concat(owners.toByteString()).toByteArray();
        Pod whole = Pod.parseFrom(pieces);
        assertTrue(find(pieces));
        assertArrayEquals(key(whole), key(Pod.newBuilder().mergeFrom(whole).build()));
        assertTrue(find(pieces));
        assertTrue(ranges.isKey(key(whole)));
    }

    @Test
    void textThatIsSkipped_mustBeUtf8() {
        for (Pod pod : new Pod[] {
            named(ObjectMeta.newBuilder().setName("é")),
            named(ObjectMeta.newBuilder().setUid("12345678é")),
            named(ObjectMeta.newBuilder().setGenerateName("é")),
            named(ObjectMeta.newBuilder().setResourceVersion("é")),
            Pod.newBuilder().setSpec(PodSpec.newBuilder().setNodeName("é")).build(),
            Pod.newBuilder().setStatus(PodStatus.newBuilder().setPhase("é")).build(),
            Pod.newBuilder()
                    .setStatus(PodStatus.newBuilder().setNominatedNodeName("é"))
                    .build()
        }) {
            byte[] bytes = pod.toByteArray();
            assertTrue(find(bytes), pod::toString);
            bytes[bytes.length - 1] = 'x';
            assertFalse(find(bytes), pod::toString);
        }
    }

    private static Pod named(ObjectMeta.Builder metadata) {
        return Pod.newBuilder().setMetadata(metadata).build();
    }

    @Test
    void unsoundTime_isNoPods() {
        // metadata { creationTimestamp { a tag, and nothing after it } }
        assertFalse(find(new byte[] {10, 3, 66, 1, 8}));
        assertTrue(find(new byte[] {10, 4, 66, 2, 8, 1}));
    }

    @Test
    void podInVeryManyPieces_hasNoKey() throws Exception {
        byte[] piece = named(ObjectMeta.newBuilder().setName("a").putLabels("app", "web"))
                .toByteArray();
        byte[] pieces = new byte[300 * piece.length];
        for (int i = 0; i < 300; i++) {
            System.arraycopy(piece, 0, pieces, i * piece.length, piece.length);
        }
        WireCursor wire = new WireCursor(pieces, 0, pieces.length);
        assertFalse(ranges.find(wire));
        assertEquals(pieces.length, wire.position());
    }
}
