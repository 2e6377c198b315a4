package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.v1.ContainerPort;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.NodeSelectorTerm;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import io.evenkeel.v1.Taint;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.evenkeel.v1.VolumeSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that protobuf and JSON written by Kubernetes parse as the messages of {@code kubernetes.proto}. */
final class KubernetesWireTest {
    static Stream<Arguments> samples() {
        return Stream.of(
                Arguments.of("node", Node.getDefaultInstance()),
                Arguments.of("pod", Pod.getDefaultInstance()),
                Arguments.of("pod-terminating", Pod.getDefaultInstance()),
                Arguments.of("pod-resized", Pod.getDefaultInstance()),
                Arguments.of("service", Service.getDefaultInstance()),
                Arguments.of("replicationcontroller", ReplicationController.getDefaultInstance()),
                Arguments.of("replicaset", ReplicaSet.getDefaultInstance()),
                Arguments.of("statefulset", StatefulSet.getDefaultInstance()),
                Arguments.of("poddisruptionbudget", PodDisruptionBudget.getDefaultInstance()));
    }

    @ParameterizedTest
    @MethodSource("samples")
    void sample_parsesToEqualMessages_fromBytesAndFromJson(String name, Message kind) throws IOException {
        Message fromJson = fromJson(json(name), kind);
        assertNotEquals(kind, fromJson);
        assertEquals(fromJson, withoutZeroCreationTimestamp(fromBytes(name, kind)));
    }

    @Test
    void volumeSources_haveTheNumbersOfKubernetes() {
        Map<String, Integer> numbers = VolumeSource.getDescriptor().getFields().stream()
                .collect(Collectors.toMap(FieldDescriptor::getJsonName, FieldDescriptor::getNumber));
        assertEquals(
                Map.of(
                        "hostPath", 1,
                        "emptyDir", 2,
                        "gcePersistentDisk", 3,
                        "awsElasticBlockStore", 4,
                        "iscsi", 8,
                        "persistentVolumeClaim", 10,
                        "rbd", 11,
                        "ephemeral", 29),
                numbers);
    }

    @ParameterizedTest
    @MethodSource("samples")
    void unknownFields_areNotKept_whenBytesAreParsed(String name, Message kind) throws IOException {
        byte[] bytes = read(name + ".bin");
        assertTrue(holdsUnknownFields(kind.getParserForType().parseFrom(bytes)), "the sample has none to discard");

        Message parsed = fromBytes(name, kind);
        assertFalse(holdsUnknownFields(parsed));
        assertTrue(parsed.getSerializedSize() < bytes.length);
        assertEquals(
                fromJson(json(name), kind).getSerializedSize(),
                withoutZeroCreationTimestamp(parsed).getSerializedSize());
    }

    @ParameterizedTest
    @MethodSource("samples")
    void apiVersionAndKind_areSkipped_whenJsonHoldsThem(String name, Message kind) throws IOException {
        String json = json(name);
        String typed = json.replaceFirst("\\{", "{\"apiVersion\": \"v1\", \"kind\": \"Whatever\",");
        assertEquals(fromJson(json, kind), fromJson(typed, kind));
    }

    @ParameterizedTest
    @MethodSource("samples")
    void json_keepsKubernetesFieldNames_whenItIsWritten(String name, Message kind) throws IOException {
        Message parsed = fromJson(json(name), kind);
        String written = JsonFormat.printer().print(parsed);
        // Strict: an unknown field name would be an error.
        Message.Builder again = kind.newBuilderForType();
        JsonFormat.parser().merge(written, again);
        assertEquals(parsed, again.build());
    }

    @Test
    void node_holdsLabelsTaintsAndCordon() throws IOException {
        Node node = (Node) fromBytes("node", Node.getDefaultInstance());
        assertEquals(
                ObjectMeta.newBuilder()
                        .setName("node-3")
                        .setUid("n3")
                        .setResourceVersion("99")
                        .putLabels("empty", "")
                        .putLabels("kubernetes.io/hostname", "node-3")
                        .putLabels("topology.kubernetes.io/zone", "zoneA")
                        .setCreationTimestamp(Timestamp.getDefaultInstance())
                        .build(),
                node.getMetadata());
        assertTrue(node.getSpec().getUnschedulable());
        assertEquals(
                List.of(Taint.newBuilder()
                        .setKey("dedicated")
                        .setValue("infra")
                        .setEffect("NoSchedule")
                        .build()),
                node.getSpec().getTaintsList());
    }

    @Test
    void pod_holdsItsMetadata() throws IOException {
        assertEquals(
                ObjectMeta.newBuilder()
                        .setName("web-7d4b9-x2x")
                        .setGenerateName("web-7d4b9-")
                        .setNamespace("shop")
                        .setUid("3f0c1f5e-8d1b-4b7e-9d55-0f6f6a1c2b3d")
                        .setResourceVersion("184467")
                        .setCreationTimestamp(timestamp("2026-03-04T01:02:03Z"))
                        .putLabels("app", "web")
                        .putLabels("pod-template-hash", "7d4b9")
                        .putLabels("tier", "")
                        .putAnnotations("note", "unknown to the subset, must be skipped")
                        .addOwnerReferences(OwnerReference.newBuilder()
                                .setApiVersion("apps/v1")
                                .setKind("ReplicaSet")
                                .setName("web-7d4b9")
                                .setUid("11111111-2222-3333-4444-555555555555")
                                .setController(true)
                                .setBlockOwnerDeletion(true))
                        .build(),
                pod("pod").getMetadata());
    }

    @Test
    void pod_holdsItsPlacementAndPhase() throws IOException {
        Pod pod = pod("pod");
        assertEquals("node-3", pod.getSpec().getNodeName());
        assertEquals("custom", pod.getSpec().getSchedulerName());
        assertEquals("Running", pod.getStatus().getPhase());
        assertEquals("node-4", pod.getStatus().getNominatedNodeName());
        assertFalse(pod.getMetadata().hasDeletionTimestamp());
    }

    @Test
    void pod_hasDeletionTimestamp_whenItIsTerminating() throws IOException {
        Pod pod = pod("pod-terminating");
        assertEquals(timestamp("2026-03-04T05:06:07Z"), pod.getMetadata().getDeletionTimestamp());
        assertTrue(pod.getMetadata().hasDeletionTimestamp());
        assertEquals("Succeeded", pod.getStatus().getPhase());
    }

    @Test
    void pod_holdsNodeSelectorAndRequiredNodeAffinity() throws IOException {
        PodSpec spec = pod("pod").getSpec();
        assertEquals(Map.of("disktype", "ssd"), spec.getNodeSelectorMap());
        assertEquals(
                NodeSelector.newBuilder()
                        .addNodeSelectorTerms(NodeSelectorTerm.newBuilder()
                                .addMatchExpressions(requirement("topology.kubernetes.io/zone", "NotIn", "zoneC"))
                                .addMatchExpressions(requirement("cpus", "Gt", "4"))
                                .addMatchFields(requirement("metadata.name", "In", "node-3")))
                        .build(),
                spec.getAffinity().getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution());
    }

    @Test
    void tolerationSeconds_isPresentOnlyIfSet() throws IOException {
        assertEquals(
                List.of(
                        Toleration.newBuilder()
                                .setKey("dedicated")
                                .setOperator("Equal")
                                .setValue("infra")
                                .setEffect("NoSchedule")
                                .build(),
                        Toleration.newBuilder()
                                .setOperator("Exists")
                                .setEffect("NoExecute")
                                .setTolerationSeconds(300)
                                .build()),
                pod("pod").getSpec().getTolerationsList());
    }

    @Test
    void constraintPointers_arePresentOnlyIfSet() throws IOException {
        List<TopologySpreadConstraint> constraints = pod("pod").getSpec().getTopologySpreadConstraintsList();
        assertEquals(
                List.of(
                        TopologySpreadConstraint.newBuilder()
                                .setMaxSkew(2)
                                .setTopologyKey("topology.kubernetes.io/zone")
                                .setWhenUnsatisfiable("DoNotSchedule")
                                .setLabelSelector(LabelSelector.newBuilder()
                                        .putMatchLabels("app", "web")
                                        .addMatchExpressions(LabelSelectorRequirement.newBuilder()
                                                .setKey("tier")
                                                .setOperator("In")
                                                .addValues("")
                                                .addValues("front")))
                                .setMinDomains(3)
                                .setNodeAffinityPolicy("Ignore")
                                .setNodeTaintsPolicy("Honor")
                                .addMatchLabelKeys("pod-template-hash")
                                .build(),
                        TopologySpreadConstraint.newBuilder()
                                .setMaxSkew(1)
                                .setTopologyKey("kubernetes.io/hostname")
                                .setWhenUnsatisfiable("ScheduleAnyway")
                                .build()),
                constraints);
        TopologySpreadConstraint bare = constraints.get(1);
        assertFalse(bare.hasLabelSelector());
        assertFalse(bare.hasMinDomains());
        assertFalse(bare.hasNodeAffinityPolicy());
        assertFalse(bare.hasNodeTaintsPolicy());
    }

    @Test
    void podAndNode_holdTheirResources() throws IOException {
        PodSpec spec = pod("pod-resized").getSpec();
        assertEquals(
                Map.of("cpu", StringValue.of("500m"), "example.com/gpu", StringValue.of("1")),
                spec.getContainers(0).getResources().getRequestsMap());
        assertEquals(
                ContainerPort.newBuilder()
                        .setHostPort(53)
                        .setContainerPort(5353)
                        .setProtocol("UDP")
                        .setHostIp("10.0.0.1")
                        .build(),
                spec.getInitContainers(0).getPorts(0));
        assertEquals("Always", spec.getInitContainers(0).getRestartPolicy());
        assertEquals(Map.of("cpu", StringValue.of("100m")), spec.getOverheadMap());
        assertEquals(
                Map.of("memory", StringValue.of("1536Mi")), spec.getResources().getRequestsMap());
        assertTrue(spec.getHostNetwork());
        PodStatus status = pod("pod-resized").getStatus();
        assertEquals("Infeasible", status.getConditions(1).getReason());
        assertEquals(
                Map.of("cpu", StringValue.of("250m")),
                status.getContainerStatuses(0).getAllocatedResourcesMap());
        assertEquals(
                Map.of("cpu", StringValue.of("200m")),
                status.getContainerStatuses(0).getResources().getRequestsMap());
        assertTrue(status.getInitContainerStatuses(0).hasResources());
        assertEquals(Map.of("memory", StringValue.of("3Gi")), status.getAllocatedResourcesMap());
        assertEquals(
                Map.of("memory", StringValue.of("2Gi")), status.getResources().getRequestsMap());
        Node node = (Node) fromBytes("node", Node.getDefaultInstance());
        assertEquals(
                Map.of("cpu", StringValue.of("8"), "memory", StringValue.of("32Gi"), "pods", StringValue.of("110")),
                node.getStatus().getAllocatableMap());
    }

    @Test
    void zeroAndEmpty_differFromAbsent_ifGoHasAPointer() throws IOException {
        String json = """
            {"spec": {"tolerations": [{"tolerationSeconds": 0}],
                      "topologySpreadConstraints": [
                        {"minDomains": 0, "labelSelector": {}, "nodeAffinityPolicy": "", "nodeTaintsPolicy": ""}]},
             "metadata": {"ownerReferences": [{"controller": false}, {"controller": null}]}}
            """;
        Pod pod = (Pod) fromJson(json, Pod.getDefaultInstance());
        TopologySpreadConstraint constraint = pod.getSpec().getTopologySpreadConstraints(0);
        assertTrue(constraint.hasMinDomains());
        assertTrue(constraint.hasLabelSelector());
        assertTrue(constraint.hasNodeAffinityPolicy());
        assertTrue(constraint.hasNodeTaintsPolicy());
        assertTrue(pod.getSpec().getTolerations(0).hasTolerationSeconds());
        assertTrue(pod.getMetadata().getOwnerReferences(0).hasController());
        assertFalse(pod.getMetadata().getOwnerReferences(1).hasController());
        assertEquals(pod, Pod.parseFrom(pod.toByteArray()));
    }

    @Test
    void services_andControllers_holdTheirSelectors() throws IOException {
        Service service = (Service) fromBytes("service", Service.getDefaultInstance());
        assertEquals(Map.of("app", "web"), service.getSpec().getSelectorMap());
        ReplicationController controller =
                (ReplicationController) fromBytes("replicationcontroller", ReplicationController.getDefaultInstance());
        assertEquals(Map.of("app", "old"), controller.getSpec().getSelectorMap());
        ReplicaSet replicaSet = (ReplicaSet) fromBytes("replicaset", ReplicaSet.getDefaultInstance());
        assertEquals(
                LabelSelector.newBuilder().putMatchLabels("app", "web").build(),
                replicaSet.getSpec().getSelector());
        StatefulSet statefulSet = (StatefulSet) fromBytes("statefulset", StatefulSet.getDefaultInstance());
        assertEquals(
                LabelSelector.newBuilder().putMatchLabels("app", "db").build(),
                statefulSet.getSpec().getSelector());
    }

    @Test
    void disruptionBudgets_holdTheirSelector_andWhatTheyAllow() throws IOException {
        PodDisruptionBudget budget =
                (PodDisruptionBudget) fromBytes("poddisruptionbudget", PodDisruptionBudget.getDefaultInstance());
        assertEquals(
                LabelSelector.newBuilder().putMatchLabels("app", "web").build(),
                budget.getSpec().getSelector());
        assertEquals(2, budget.getStatus().getDisruptionsAllowed());
    }

    private static Pod pod(String name) throws IOException {
        return (Pod) fromBytes(name, Pod.getDefaultInstance());
    }

    private static Message fromBytes(String name, Message kind) throws IOException {
        return (Message)
                DiscardUnknownFieldsParser.wrap(kind.getParserForType()).parseFrom(read(name + ".bin"));
    }

    private static Message fromJson(String json, Message kind) throws IOException {
        Message.Builder builder = kind.newBuilderForType();
        JsonFormat.parser().ignoringUnknownFields().merge(json, builder);
        return builder.build();
    }

    /** Go writes an unset time as an empty message; JSON omits it. */
    private static Message withoutZeroCreationTimestamp(Message object) {
        FieldDescriptor metadata = object.getDescriptorForType().findFieldByName("metadata");
        ObjectMeta meta = (ObjectMeta) object.getField(metadata);
        return meta.getCreationTimestamp().equals(Timestamp.getDefaultInstance())
                ? object.toBuilder()
                        .setField(
                                metadata,
                                meta.toBuilder().clearCreationTimestamp().build())
                        .build()
                : object;
    }

    private static boolean holdsUnknownFields(Message message) {
        if (!message.getUnknownFields().asMap().isEmpty()) {
            return true;
        }
        for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
            if (field.getKey().getJavaType() != JavaType.MESSAGE) {
                continue;
            }
            List<?> values = field.getValue() instanceof List<?> list ? list : List.of(field.getValue());
            if (values.stream().anyMatch(value -> holdsUnknownFields((Message) value))) {
                return true;
            }
        }
        return false;
    }

    private static NodeSelectorRequirement requirement(String key, String operator, String value) {
        return NodeSelectorRequirement.newBuilder()
                .setKey(key)
                .setOperator(operator)
                .addValues(value)
                .build();
    }

    private static Timestamp timestamp(String instant) {
        return Timestamp.newBuilder()
                .setSeconds(Instant.parse(instant).getEpochSecond())
                .build();
    }

    private static String json(String name) throws IOException {
        return new String(read(name + ".json"), StandardCharsets.UTF_8);
    }

    private static byte[] read(String file) throws IOException {
        try (InputStream in = KubernetesWireTest.class.getResourceAsStream("/wire/" + file)) {
            return Objects.requireNonNull(in, file).readAllBytes();
        }
    }
}
