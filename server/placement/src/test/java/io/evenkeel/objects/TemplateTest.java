package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.v1.Affinity;
import io.evenkeel.v1.NodeAffinity;
import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.NodeSelectorTerm;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a pod's template contains what the answer for the pod depends on, and no more. */
final class TemplateTest {
    private static final int SAMPLES = 4_000;

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());

    /** Reads all pods of a test, and must read each like a new scanner. */
    private final PodScanner scanner = new PodScanner(new TemplateCache());

    @Test
    void podOfTheCluster_meansWhatItMeantInFull() throws Exception {
        PodSamples samples = new PodSamples(1);
        int stored = 0;
        for (int i = 0; i < SAMPLES; i++) {
            Pod pod = samples.pod();
            if (canBeStored(pod)) {
                assertEquals(meaning(pod), meaning(TemplateReader.pod(store(pod))), pod::toString);
                stored++;
            }
        }
        assertTrue(stored > SAMPLES / 2, stored + " stored");
        IndexValidator.validate(engine);
    }

    private static boolean canBeStored(Pod pod) {
        Violations violations = new Violations();
        RequestsTranslator.taken(pod.getSpec(), pod.getStatus(), PodLimits.DEFAULT, violations);
        return violations.isEmpty() && !pod.getMetadata().getNamespace().isEmpty();
    }

    /**
     * What an answer about a pod of the cluster, or an explanation, depends on. For a controller that is a node, only
     * whether there is one.
     */
    private static Object meaning(Pod pod) {
        try {
            IncomingPod read =
                    new IncomingPodTranslator(PodLimits.DEFAULT).translate(pod).withoutNodeName();
            boolean counts =
                    read.controller() != null && !read.controller().kind().equals("Node");
            String scheduler = pod.getSpec().getSchedulerName();
            return Map.of(
                    "pod",
                    counts ? read : withoutController(read),
                    "controlled",
                    read.controller() != null,
                    "scheduler",
                    scheduler.isEmpty() ? "default-scheduler" : scheduler,
                    "constraints",
                    pod.getSpec().getTopologySpreadConstraintsList());
        } catch (InvalidObjectException e) {
            return e.violations();
        }
    }

    private static IncomingPod withoutController(IncomingPod pod) {
        return new IncomingPod(
                pod.namespace(),
                pod.labels(),
                pod.nodeSelector(),
                pod.affinityTerms(),
                pod.tolerations(),
                pod.constraints(),
                null,
                pod.requests(),
                pod.nodeName());
    }

    private StoredPod store(Pod pod) throws InvalidProtocolBufferException, InvalidObjectException {
        return store(pod.toByteArray());
    }

    private StoredPod assume(Pod pod, String node) throws InvalidObjectException {
        PodRecord record = PodScanner.assumed(pod);
        engine.write(writer -> writer.assume(record, node, null));
        return Objects.requireNonNull(engine.pod(PodKey.ofUid(pod.getMetadata().getUid())));
    }

    @Test
    void replicas_haveEqualTemplates() throws Exception {
        PodSamples samples = new PodSamples(2);
        for (int i = 0; i < SAMPLES; i++) {
            Pod pod = samples.pod();
            Pod replica = samples.replica(pod);
            if (canBeStored(pod) && canBeStored(replica)) {
                assertArrayEquals(store(pod).template(), store(replica).template());
            }
        }
    }

    @Test
    void podWithoutConditionsAndOwner_hasAnEmptyTemplate() throws Exception {
        Pod plain = pod("a", "n1");
        assertEquals(0, store(plain).template().length);
        assertSame(PodTemplate.EMPTY, PodScanner.record(plain, Change.ADDED).template);
        Pod.Builder usual = plain.toBuilder();
        usual.getSpecBuilder()
                .setSchedulerName("default-scheduler")
                .setAffinity(Affinity.newBuilder().setNodeAffinity(NodeAffinity.getDefaultInstance()));
        usual.getMetadataBuilder()
                .addOwnerReferences(OwnerReference.newBuilder().setKind("ReplicaSet"));
        assertEquals(0, store(usual.build()).template().length);
    }

    @Test
    void podsOfADaemonSet_haveOneTemplate_andEachItsNode() throws Exception {
        byte[] template = store(daemon("d0", "n0", "n0")).template();
        for (String node :
                List.of("n1", "a-node-of-a-longer-name", "x".repeat(127), "x".repeat(128), "x".repeat(253))) {
            Pod pod = daemon("on-" + node.length(), node, node);
            StoredPod stored = store(pod);
            assertArrayEquals(template, stored.template());
            assertEquals(
                    pod.getSpec().getAffinity(),
                    TemplateReader.pod(stored).getSpec().getAffinity());
        }
    }

    @Test
    void affinityThatADaemonSetDoesNotGive_isKeptAsItIs() throws Exception {
        NodeSelectorRequirement onN1 = in("metadata.name", "n1");
        for (NodeSelector terms : List.of(
                NodeSelector.getDefaultInstance(),
                NodeSelector.newBuilder()
                        .addNodeSelectorTerms(NodeSelectorTerm.getDefaultInstance())
                        .build(),
                fields(in("metadata.name", "n2")),
                fields(in("metadata.name", "1")),
                fields(in("metadata.name", "xn1")),
                fields(in("metadata.name")),
                fields(onN1.toBuilder().setOperator("NotIn").build()),
                fields(onN1.toBuilder().setKey("metadata.namf").build()),
                fields(onN1.toBuilder().addValues("n1").build()),
                fields(onN1, onN1),
                fields(onN1).toBuilder()
                        .addNodeSelectorTerms(fields(onN1).getNodeSelectorTerms(0))
                        .build(),
                NodeSelector.newBuilder()
                        .addNodeSelectorTerms(NodeSelectorTerm.newBuilder().addMatchExpressions(onN1))
                        .build())) {
            Pod pod = withTerms(pod("a", "n1"), terms);
            StoredPod stored = store(pod);
            assertNotEquals(0, stored.template().length);
            assertEquals(
                    pod.getSpec().getAffinity(),
                    TemplateReader.pod(stored).getSpec().getAffinity());
            assertNotEquals(
                    Arrays.hashCode(store(daemon("d", "n1", "n1")).template()), Arrays.hashCode(stored.template()));
        }
    }

    @Test
    void podThatIsPending_orAssumed_keepsTheNameThatItDemands() throws Exception {
        Affinity demanded = daemon("d", "", "n1").getSpec().getAffinity();
        assertEquals(
                demanded,
                TemplateReader.pod(store(daemon("pending", "", "n1"))).getSpec().getAffinity());
        assertEquals(
                demanded,
                TemplateReader.pod(assume(daemon("assumed", "", "n1"), "n2"))
                        .getSpec()
                        .getAffinity());
        assertEquals(
                demanded,
                TemplateReader.pod(assume(daemon("elsewhere", "n1", "n1"), "n2"))
                        .getSpec()
                        .getAffinity());
    }

    @Test
    void affinityInSeveralPieces_isMerged() throws Exception {
        byte[] first =
                withTerms(pod("a", "n1"), fields(in("metadata.name", "n1"))).toByteArray();
        byte[] second = withTerms(Pod.getDefaultInstance(), fields(in("metadata.name", "n2")))
                .toByteArray();
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        StoredPod stored = store(both);
        assertEquals(
                Pod.parseFrom(both).getSpec().getAffinity(),
                TemplateReader.pod(stored).getSpec().getAffinity());
    }

    private StoredPod store(byte[] pod) throws InvalidProtocolBufferException, InvalidObjectException {
        PodRecord record = scan(scanner, pod, Change.LISTED);
        assertEquals(scan(new PodScanner(), pod, Change.LISTED).template, record.template);
        engine.write(writer -> writer.apply(Change.LISTED, record));
        return Objects.requireNonNull(engine.pod(PodKey.ofUid(record.uid())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ReplicaSet", "StatefulSet", "ReplicationController", "DaemonSet", "Job", "Node", ""})
    void controller_isKeptByName_unlessItIsANode(String kind) throws Exception {
        Pod.Builder pod = pod("a", "n1").toBuilder();
        pod.getMetadataBuilder()
                .addOwnerReferences(
                        OwnerReference.newBuilder().setKind("ReplicaSet").setName("no controller"))
                .addOwnerReferences(owner(kind, "first"))
                .addOwnerReferences(owner("ReplicaSet", "second"));
        assertEquals(kept(kind, "first"), controller(pod));
        pod.getSpecBuilder().addTopologySpreadConstraints(TopologySpreadConstraint.getDefaultInstance());
        assertEquals(kept(kind, "first"), controller(pod));
    }

    private static OwnerReference kept(String kind, String name) {
        return kind.equals("Node")
                ? OwnerReference.newBuilder().setController(true).build()
                : owner(kind, name).toBuilder().clearUid().build();
    }

    private OwnerReference controller(Pod.Builder pod) throws InvalidProtocolBufferException, InvalidObjectException {
        ObjectMeta metadata = TemplateReader.pod(store(pod.build())).getMetadata();
        assertEquals(1, metadata.getOwnerReferencesCount());
        return metadata.getOwnerReferences(0);
    }

    @Test
    void pods_thatOneScannerReads_shareTheirTemplates() throws Exception {
        PodTemplate first = template(tolerating("a", "gpu"));
        PodTemplate other = template(tolerating("b", "spot"));
        assertSame(PodTemplate.EMPTY, template(pod("c", "n1")));
        assertSame(first, template(tolerating("d", "gpu")));
        assertNotEquals(first, other);
        assertSame(template(daemon("e", "n1", "n1")), template(daemon("f", "n2", "n2")));
        byte[] deleted = tolerating("g", "gpu").toByteArray();
        assertSame(PodTemplate.EMPTY, scan(scanner, deleted, Change.DELETED).template);
    }

    /** All of these have the same controller, so that the cache has only one entry for them at a time. */
    @Test
    void templates_thatReplaceEachOtherInTheCache_areNotMistaken() throws Exception {
        for (int round = 0; round < 2; round++) {
            for (String key : List.of("gpu", "tpu", "gpu-2", "tpu", "gpu")) {
                Pod.Builder pod = tolerating("a", key).toBuilder();
                pod.getMetadataBuilder().addOwnerReferences(owner("Job", "train"));
                assertEquals(PodScanner.record(pod.build(), Change.ADDED).template, template(pod.build()), key);
                pod.getSpecBuilder().addTolerations(Toleration.newBuilder().setKey("more"));
                assertEquals(PodScanner.record(pod.build(), Change.ADDED).template, template(pod.build()), key);
            }
        }
    }

    @Test
    void fieldsThatNameANode_meanAnotherTemplateOnAnotherNode() throws Exception {
        for (int round = 0; round < 2; round++) {
            for (String node : List.of("n1", "n2", "", "n1")) {
                Pod pod = daemon("d", node, "n1");
                assertEquals(PodScanner.record(pod, Change.ADDED).template, template(pod), node);
                assertEquals(
                        pod.getSpec().getAffinity(),
                        TemplateReader.pod(store(pod)).getSpec().getAffinity());
            }
        }
        assertNotEquals(template(daemon("d", "n1", "n1")), template(daemon("d", "n2", "n1")));
    }

    private PodTemplate template(Pod pod) throws Exception {
        return scan(scanner, pod.toByteArray(), Change.ADDED).template;
    }

    private static PodRecord scan(PodScanner scanner, byte[] pod, Change change)
            throws InvalidProtocolBufferException, InvalidObjectException {
        WireCursor wire = new WireCursor(pod, 0, pod.length);
        scanner.begin(wire);
        scanner.scan(wire);
        return scanner.finish(change);
    }

    private static Pod tolerating(String name, String key) {
        Pod.Builder pod = pod(name, "n1").toBuilder();
        pod.getSpecBuilder().addTolerations(Toleration.newBuilder().setKey(key).setOperator("Exists"));
        return pod.build();
    }

    private static OwnerReference owner(String kind, String name) {
        return OwnerReference.newBuilder()
                .setApiVersion("apps/v1")
                .setKind(kind)
                .setName(name)
                .setUid("a uid")
                .setController(true)
                .build();
    }

    /** A pod of a DaemonSet for one node. */
    private static Pod daemon(String name, String node, String demanded) {
        return withTerms(pod(name, node), fields(in("metadata.name", demanded)));
    }

    private static Pod withTerms(Pod pod, NodeSelector terms) {
        Pod.Builder with = pod.toBuilder();
        with.getSpecBuilder()
                .setAffinity(Affinity.newBuilder()
                        .setNodeAffinity(
                                NodeAffinity.newBuilder().setRequiredDuringSchedulingIgnoredDuringExecution(terms)));
        return with.build();
    }

    private static NodeSelector fields(NodeSelectorRequirement... requirements) {
        return NodeSelector.newBuilder()
                .addNodeSelectorTerms(NodeSelectorTerm.newBuilder().addAllMatchFields(Arrays.asList(requirements)))
                .build();
    }

    private static NodeSelectorRequirement in(String key, String... values) {
        return NodeSelectorRequirement.newBuilder()
                .setKey(key)
                .setOperator("In")
                .addAllValues(Arrays.asList(values))
                .build();
    }

    private static Pod pod(String name, String node) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace("shop")
                        .setName(name)
                        .setUid(name))
                .setSpec(PodSpec.newBuilder().setNodeName(node))
                .build();
    }
}
