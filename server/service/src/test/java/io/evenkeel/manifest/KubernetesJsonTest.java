package io.evenkeel.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.objects.RealFiles;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that the fields of Kubernetes' objects have the JSON names that Kubernetes uses. */
final class KubernetesJsonTest {
    private static final Map<String, Descriptor> KINDS = Map.of(
            "nodes", Node.getDescriptor(),
            "pods", Pod.getDescriptor(),
            "services", Service.getDescriptor(),
            "replicationcontrollers", ReplicationController.getDescriptor(),
            "replicasets", ReplicaSet.getDescriptor(),
            "statefulsets", StatefulSet.getDescriptor());

    /** The JSON names in k8s.io/api of fields that no object of the real cluster has. */
    private static final Map<String, String> ABSENT = Map.ofEntries(
            Map.entry("Affinity.pod_affinity", "podAffinity"),
            Map.entry("Affinity.pod_anti_affinity", "podAntiAffinity"),
            Map.entry("Container.ports", "ports"),
            Map.entry("Container.restart_policy", "restartPolicy"),
            Map.entry("ContainerPort.container_port", "containerPort"),
            Map.entry("ContainerPort.host_ip", "hostIP"),
            Map.entry("ContainerPort.host_port", "hostPort"),
            Map.entry("ContainerPort.protocol", "protocol"),
            Map.entry("ContainerStatus.allocated_resources", "allocatedResources"),
            Map.entry("ContainerStatus.name", "name"),
            Map.entry("ContainerStatus.resources", "resources"),
            Map.entry("EmptyDirVolumeSource.medium", "medium"),
            Map.entry(
                    "NodeAffinity.preferred_during_scheduling_ignored_during_execution",
                    "preferredDuringSchedulingIgnoredDuringExecution"),
            Map.entry("NodeSelectorTerm.match_fields", "matchFields"),
            Map.entry("PersistentVolumeClaimVolumeSource.claim_name", "claimName"),
            Map.entry(
                    "PodAffinity.required_during_scheduling_ignored_during_execution",
                    "requiredDuringSchedulingIgnoredDuringExecution"),
            Map.entry("PodAffinityTerm.label_selector", "labelSelector"),
            Map.entry("PodAffinityTerm.namespace_selector", "namespaceSelector"),
            Map.entry("PodAffinityTerm.namespaces", "namespaces"),
            Map.entry("PodAffinityTerm.topology_key", "topologyKey"),
            Map.entry(
                    "PodAntiAffinity.required_during_scheduling_ignored_during_execution",
                    "requiredDuringSchedulingIgnoredDuringExecution"),
            Map.entry("PodResourceClaim.name", "name"),
            Map.entry("PodSchedulingGate.name", "name"),
            Map.entry("PodSpec.host_network", "hostNetwork"),
            Map.entry("PodSpec.init_containers", "initContainers"),
            Map.entry("PodSpec.overhead", "overhead"),
            Map.entry("PodSpec.priority_class_name", "priorityClassName"),
            Map.entry("PodSpec.resource_claims", "resourceClaims"),
            Map.entry("PodSpec.resources", "resources"),
            Map.entry("PodSpec.scheduling_gates", "schedulingGates"),
            Map.entry("PodSpec.volumes", "volumes"),
            Map.entry("PodStatus.allocated_resources", "allocatedResources"),
            Map.entry("PodStatus.container_statuses", "containerStatuses"),
            Map.entry("PodStatus.init_container_statuses", "initContainerStatuses"),
            Map.entry("PodStatus.nominated_node_name", "nominatedNodeName"),
            Map.entry("PodStatus.resources", "resources"),
            Map.entry("PodStatus.start_time", "startTime"),
            Map.entry("PreferredSchedulingTerm.preference", "preference"),
            Map.entry("PreferredSchedulingTerm.weight", "weight"),
            Map.entry("ReplicationController.metadata", "metadata"),
            Map.entry("ReplicationController.spec", "spec"),
            Map.entry("ReplicationControllerSpec.selector", "selector"),
            Map.entry("ResourceRequirements.limits", "limits"),
            Map.entry("Toleration.value", "value"),
            Map.entry("Volume.aws_elastic_block_store", "awsElasticBlockStore"),
            Map.entry("Volume.empty_dir", "emptyDir"),
            Map.entry("Volume.ephemeral", "ephemeral"),
            Map.entry("Volume.gce_persistent_disk", "gcePersistentDisk"),
            Map.entry("Volume.host_path", "hostPath"),
            Map.entry("Volume.iscsi", "iscsi"),
            Map.entry("Volume.name", "name"),
            Map.entry("Volume.persistent_volume_claim", "persistentVolumeClaim"),
            Map.entry("Volume.rbd", "rbd"),
            Map.entry("Volume.volume_source", "volumeSource"),
            Map.entry("VolumeSource.aws_elastic_block_store", "awsElasticBlockStore"),
            Map.entry("VolumeSource.empty_dir", "emptyDir"),
            Map.entry("VolumeSource.ephemeral", "ephemeral"),
            Map.entry("VolumeSource.gce_persistent_disk", "gcePersistentDisk"),
            Map.entry("VolumeSource.host_path", "hostPath"),
            Map.entry("VolumeSource.iscsi", "iscsi"),
            Map.entry("VolumeSource.persistent_volume_claim", "persistentVolumeClaim"),
            Map.entry("VolumeSource.rbd", "rbd"));

    private final Set<String> present = new HashSet<>();

    @Test
    void jsonNames_areThoseOfKubernetes() throws IOException {
        Map<String, String> absent = new TreeMap<>();
        for (Map.Entry<String, Descriptor> kind : KINDS.entrySet()) {
            for (String when : new String[] {"before", "after"}) {
                Struct.Builder list = Struct.newBuilder();
                JsonFormat.parser()
                        .merge(
                                new String(
                                        RealFiles.read(when + "." + kind.getKey() + ".json.gz"),
                                        StandardCharsets.UTF_8),
                                list);
                for (Value object :
                        list.getFieldsOrThrow("items").getListValue().getValuesList()) {
                    look(object, kind.getValue());
                }
            }
        }
        for (Descriptor kind : KINDS.values()) {
            putAbsent(kind, absent);
        }
        assertEquals(new TreeMap<>(ABSENT), absent);
    }

    /** Records the fields of a message whose names occur in the JSON. */
    private void look(Value json, Descriptor message) {
        Map<String, Value> object = json.getStructValue().getFieldsMap();
        for (FieldDescriptor field : message.getFields()) {
            Value value = object.get(field.getJsonName());
            if (value != null) {
                present.add(field.getFullName());
                if (isObject(field)) {
                    ListValue values = field.isRepeated()
                            ? value.getListValue()
                            : ListValue.newBuilder().addValues(value).build();
                    values.getValuesList().forEach(each -> look(each, field.getMessageType()));
                }
            }
        }
    }

    /** Whether a field contains messages that are objects with fields in JSON. */
    private static boolean isObject(FieldDescriptor field) {
        return field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                && !field.isMapField()
                && !field.getMessageType().equals(Timestamp.getDescriptor());
    }

    private void putAbsent(Descriptor message, Map<String, String> absent) {
        for (FieldDescriptor field : message.getFields()) {
            if (!present.contains(field.getFullName())) {
                absent.put(field.getFullName().replace("evenkeel.v1.", ""), field.getJsonName());
            }
            if (isObject(field)) {
                putAbsent(field.getMessageType(), absent);
            }
        }
    }
}
