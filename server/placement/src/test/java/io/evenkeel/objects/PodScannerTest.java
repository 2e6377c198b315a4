package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.Timestamp;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.Drainability;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that scanned pods equal those of the generated parser for the same bytes. */
final class PodScannerTest {
    private static final int MUTATIONS = 10_000;
    private static final String CLUSTER_AUTOSCALER = "cluster-autoscaler.kubernetes.io/";
    private static final Parser<Pod> PARSER = DiscardUnknownFieldsParser.wrap(Pod.parser());
    private static final ObjectMeta META = ObjectMeta.newBuilder()
            .setName("a")
            .setNamespace("shop")
            .setUid("u")
            .setResourceVersion("12")
            .putLabels("app", "web")
            .build();

    /** Reads the pods of a test one after another, and must read each like a new scanner. */
    private final PodScanner sharing = new PodScanner(new TemplateCache());

    @ParameterizedTest
    @EnumSource(Change.class)
    void realPods_wholeAndTamperedWith_areJudgedAndReadAsParsed(Change change) throws IOException {
        List<byte[]> pods = pods();
        for (byte[] pod : pods) {
            assertTrue(assertReadAsParsed(pod, change), "a real pod is taken");
        }
        Random random = new Random(change.ordinal());
        int taken = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bytes = WireMutations.mutated(pods.get(i % pods.size()), random);
            taken += assertReadAsParsed(bytes, change) ? 1 : 0;
        }
        assertTrue(taken > MUTATIONS / 100, taken + " taken");
    }

    @Test
    void podInSeveralPieces_isMerged() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Pod piece : List.of(
                Pod.newBuilder()
                        .setMetadata(META.toBuilder().putLabels("tier", "old"))
                        .setSpec(PodSpec.newBuilder().setNodeName("n1"))
                        .setStatus(PodStatus.newBuilder().setPhase("Failed"))
                        .build(),
                Pod.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder()
                                .setName("b")
                                .putLabels("tier", "new")
                                .setDeletionTimestamp(Timestamp.getDefaultInstance()))
                        .setStatus(PodStatus.newBuilder().setPhase("Running"))
                        .build())) {
            piece.writeTo(bytes);
        }
        assertTrue(assertReadAsParsed(bytes.toByteArray(), Change.ADDED));
        assertEquals(
                new PodObject("shop", "b", "u", 12, Map.of("app", "web", "tier", "new"), "n1", true, false),
                scan(bytes.toByteArray(), Change.ADDED).toObject());
    }

    @ParameterizedTest
    @ValueSource(ints = {84, 85, 126, 127, 252, 253, 254})
    void lengths_areCountedInCharacters(int length) throws IOException {
        for (String character : List.of("x", "\u00e4", "\u20ac", "\ud834\udd1e")) {
            String text = character.repeat(length);
            Pod pod = Pod.newBuilder()
                    .setMetadata(META.toBuilder().setName(text).setUid(text))
                    .setSpec(PodSpec.newBuilder().setNodeName(text))
                    .build();
            assertEquals(text.length() <= 253, assertReadAsParsed(pod.toByteArray(), Change.MODIFIED));
        }
    }

    /** Returns whether the pod is accepted. */
    private boolean assertReadAsParsed(byte[] bytes, Change change) {
        String hex = HexFormat.of().formatHex(bytes);
        Pod parsed;
        try {
            parsed = PARSER.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            assertThrows(InvalidProtocolBufferException.class, () -> scan(bytes, change), hex);
            assertThrows(InvalidProtocolBufferException.class, () -> scan(sharing, bytes, change), hex);
            return false;
        }
        List<FieldViolation> violations = violations(parsed, change);
        try {
            PodRecord record = scan(bytes, change);
            assertEquals(List.of(), violations, hex);
            assertEquals(object(parsed, change), record.toObject(), hex);
            assertEquals(
                    change == Change.DELETED ? Drainability.MOVES : drainability(parsed), record.drainability, hex);
            assertEquals(change == Change.DELETED ? 0 : goneAt(parsed), record.goneAt, hex);
            if (change != Change.DELETED) {
                assertEquals(parsed.getSpec().getPriority(), record.priority, hex);
                long start = parsed.getStatus().getStartTime().getSeconds();
                assertEquals(Math.min(0xFFFF_FFFFL, Math.max(0, start)), record.startedAt, hex);
                assertEquals(isPreempted(parsed), record.preempted, hex);
            }
            PodRecord shared = scan(sharing, bytes, change);
            assertEquals(record.drainability, shared.drainability, hex);
            assertEquals(record.requests, shared.requests, hex);
            assertEquals(record.template, shared.template, hex);
            return true;
        } catch (InvalidObjectException e) {
            assertEquals(violations, e.violations(), hex);
            return false;
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(hex + " parses", e);
        }
    }

    private static PodRecord scan(byte[] bytes, Change change)
            throws InvalidProtocolBufferException, InvalidObjectException {
        return scan(new PodScanner(), bytes, change);
    }

    private static PodRecord scan(PodScanner scanner, byte[] bytes, Change change)
            throws InvalidProtocolBufferException, InvalidObjectException {
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        scanner.begin(wire);
        scanner.scan(wire);
        return scanner.finish(change);
    }

    private static List<FieldViolation> violations(Pod pod, Change change) {
        ObjectMeta metadata = pod.getMetadata();
        Violations violations = new Violations();
        FieldPath path = FieldPath.ROOT.field("metadata");
        if (change != Change.DELETED) {
            TextRules.checkName(metadata.getName(), path.field("name"), violations);
            TextRules.checkName(metadata.getNamespace(), path.field("namespace"), violations);
            if (!ResourceVersion.isValid(metadata.getResourceVersion())) {
                violations.add(
                        path.field("resourceVersion"),
                        "must be an unsigned 64-bit decimal number, was "
                                + Quotes.quoted(metadata.getResourceVersion()));
            }
        }
        TextRules.checkName(metadata.getUid(), path.field("uid"), violations);
        if (change != Change.DELETED) {
            FieldPath nodeName = FieldPath.ROOT.field("spec").field("nodeName");
            TextRules.checkLength(pod.getSpec().getNodeName(), TextRules.MAX_NAME, nodeName, violations);
            taken(pod, violations);
        }
        return violations.list();
    }

    private static boolean isPreempted(Pod pod) {
        return pod.getMetadata().hasDeletionTimestamp()
                && pod.getStatus().getConditionsList().stream()
                        .filter(condition -> condition.getType().equals("DisruptionTarget"))
                        .findFirst()
                        .filter(condition -> condition.getStatus().equals("True")
                                && condition.getReason().equals("PreemptionByScheduler"))
                        .isPresent();
    }

    /** The rules of cluster-autoscaler in their order, for a parsed pod. */
    private static Drainability drainability(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotationsMap();
        String evict = annotations.getOrDefault(CLUSTER_AUTOSCALER + "safe-to-evict", "");
        String controller = pod.getMetadata().getOwnerReferencesList().stream()
                .filter(OwnerReference::getController)
                .findFirst()
                .map(OwnerReference::getKind)
                .orElse("");
        String exempt = annotations.getOrDefault(CLUSTER_AUTOSCALER + "safe-to-evict-local-volumes", "");
        boolean local = pod.getSpec().getVolumesList().stream()
                .filter(volume ->
                        exempt.isEmpty() || !List.of(exempt.split(",", -1)).contains(volume.getName()))
                .anyMatch(volume -> volume.hasHostPath()
                        || volume.getVolumeSource().hasHostPath()
                        || volume.hasEmptyDir()
                                && !volume.getEmptyDir().getMedium().equals("Memory")
                        || volume.getVolumeSource().hasEmptyDir()
                                && !volume.getVolumeSource()
                                        .getEmptyDir()
                                        .getMedium()
                                        .equals("Memory"));
        if (annotations.containsKey("kubernetes.io/config.mirror")) {
            return Drainability.MIRROR;
        }
        if (controller.equals("DaemonSet")
                || annotations
                        .getOrDefault(CLUSTER_AUTOSCALER + "daemonset-pod", "")
                        .equals("true")) {
            return Drainability.DAEMON;
        }
        return switch (evict) {
            case "true" -> Drainability.SAFE_TO_EVICT;
            case "on-completion" -> Drainability.RUNS_TO_COMPLETION;
            default -> {
                if (!Set.of("ReplicaSet", "StatefulSet", "Job", "ReplicationController")
                        .contains(controller)) {
                    yield Drainability.NOT_REPLICATED;
                }
                yield evict.equals("false")
                        ? Drainability.NOT_SAFE_TO_EVICT
                        : local ? Drainability.LOCAL_STORAGE : Drainability.MOVES;
            }
        };
    }

    private static long goneAt(Pod pod) {
        long deleted = pod.getMetadata().getDeletionTimestamp().getSeconds();
        long grace = pod.getSpec().hasTerminationGracePeriodSeconds()
                ? pod.getSpec().getTerminationGracePeriodSeconds()
                : 30;
        if (deleted <= 0) {
            return 0;
        }
        return BigInteger.valueOf(deleted)
                .add(BigInteger.valueOf(Math.max(0, grace)))
                .add(BigInteger.valueOf(30))
                .min(BigInteger.valueOf(0xFFFF_FFFFL))
                .longValueExact();
    }

    private static PodRequests taken(Pod pod, Violations violations) {
        return RequestsTranslator.taken(pod.getSpec(), pod.getStatus(), StoredObjectTranslator.LIMITS, violations)
                .withAntiAffinity(AntiAffinityTranslator.terms(pod));
    }

    private static PodObject object(Pod pod, Change change) {
        ObjectMeta metadata = pod.getMetadata();
        String phase = pod.getStatus().getPhase();
        return new PodObject(
                metadata.getNamespace(),
                metadata.getName(),
                metadata.getUid(),
                ResourceVersion.parse(metadata.getResourceVersion()),
                metadata.getLabelsMap(),
                pod.getSpec().getNodeName(),
                metadata.hasDeletionTimestamp(),
                phase.equals("Succeeded") || phase.equals("Failed"),
                change == Change.DELETED ? PodRequests.UNKNOWN : taken(pod, new Violations()));
    }

    /** Sample pods serialized by Go, a real cluster's pods, and random pods with the state of a resize. */
    private static List<byte[]> pods() throws IOException {
        List<byte[]> pods = new ArrayList<>();
        for (String sample : List.of("pod", "pod-terminating", "pod-resized")) {
            try (var file = PodScannerTest.class.getResourceAsStream("/wire/" + sample + ".bin")) {
                pods.add(Objects.requireNonNull(file).readAllBytes());
            }
        }
        pods.addAll(ApiProtobuf.bytes(RealFiles.read("before.pods.pb.gz")));
        PodSamples samples = new PodSamples(4);
        while (pods.size() < 1_000) {
            Pod pod = samples.pod();
            if (!pod.getMetadata().getNamespace().isEmpty()
                    && violations(pod, Change.ADDED).isEmpty()) {
                pods.add(pod.toByteArray());
            }
        }
        return pods;
    }

    @ParameterizedTest
    @CsvSource({"Pending,false", "Running,false", "Unknown,false", "'',false", "Succeeded,true", "Failed,true"})
    void pod_isTranslatedWhole(String phase, boolean finished) throws Exception {
        Pod pod = Pod.newBuilder()
                .setMetadata(META)
                .setSpec(PodSpec.newBuilder().setNodeName("node-1"))
                .setStatus(PodStatus.newBuilder().setPhase(phase))
                .build();
        assertEquals(
                new PodObject("shop", "a", "u", 12, Map.of("app", "web"), "node-1", false, finished),
                PodScanner.record(pod, Change.MODIFIED).toObject());
        Pod terminating = pod.toBuilder()
                .setMetadata(META.toBuilder().setDeletionTimestamp(Timestamp.getDefaultInstance()))
                .build();
        assertEquals(
                new PodObject("shop", "a", "u", 12, Map.of("app", "web"), "node-1", true, finished),
                PodScanner.record(terminating, Change.MODIFIED).toObject());
    }

    @ParameterizedTest
    @CsvSource({
        "'',0",
        "0,0",
        "007,7",
        "9223372036854775807,9223372036854775807",
        "9223372036854775808,-9223372036854775808",
        "18446744073709551615,-1"
    })
    void resourceVersion_isUnsigned(String text, long version) throws Exception {
        assertEquals(
                version,
                PodScanner.record(withResourceVersion(text), Change.MODIFIED)
                        .toObject()
                        .resourceVersion());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-1", "+1", "1.0", "0x1", " 1", "1a", "\u0661", "18446744073709551616", "000000000000000000001"})
    void resourceVersion_isRefused_whenItIsNoUnsigned64BitNumber(String text) {
        InvalidObjectException refused = assertThrows(
                InvalidObjectException.class, () -> PodScanner.record(withResourceVersion(text), Change.MODIFIED));
        assertEquals(
                "resourceVersion must be an unsigned 64-bit decimal number, was \"" + text
                        + "\" (metadata.resourceVersion)",
                refused.getMessage());
    }

    @Test
    void absurdlyLongText_isRefused_andNotRepeated() {
        String text = "n".repeat(1_000_000);
        Pod pod = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setName(text)
                        .setNamespace(text)
                        .setUid(text)
                        .setResourceVersion(text))
                .setSpec(PodSpec.newBuilder().setNodeName(text))
                .build();
        InvalidObjectException refused =
                assertThrows(InvalidObjectException.class, () -> PodScanner.record(pod, Change.ADDED));
        assertEquals(
                List.of(
                        "metadata.name",
                        "metadata.namespace",
                        "metadata.resourceVersion",
                        "metadata.uid",
                        "spec.nodeName"),
                refused.violations().stream().map(FieldViolation::getField).toList());
        assertTrue(refused.getMessage().length() < 2_000);
    }

    private static Pod withResourceVersion(String text) {
        return Pod.newBuilder()
                .setMetadata(META.toBuilder().setResourceVersion(text))
                .build();
    }
}
