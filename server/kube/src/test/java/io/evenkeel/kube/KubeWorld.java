package io.evenkeel.kube;

import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.PodDisruptionBudgetSpec;
import io.evenkeel.v1.PodDisruptionBudgetStatus;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicaSetSpec;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.ReplicationControllerSpec;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import io.evenkeel.v1.StatefulSet;
import io.evenkeel.v1.StatefulSetSpec;

/** Creates objects of a small cluster as the API server stores them, identified by a number. */
final class KubeWorld {
    private static final String ZONE = "topology.kubernetes.io/zone";

    private KubeWorld() {}

    /**
     * The bytes of an object.
     *
     * @param detail changes labels, or the node that a pod is on
     */
    static byte[] object(ObjectKind kind, int number, int detail, long version) {
        return message(kind, metadata(kind, number, detail, version), detail).toByteArray();
    }

    static String uid(ObjectKind kind, int number) {
        return ApiResource.plural(kind) + "-" + number;
    }

    private static ObjectMeta metadata(ObjectKind kind, int number, int detail, long version) {
        ObjectMeta.Builder metadata = ObjectMeta.newBuilder()
                .setName(uid(kind, number))
                .setUid(uid(kind, number))
                .setResourceVersion(Long.toString(version))
                .putLabels("app", "web-" + detail % 3);
        if (kind == ObjectKind.NODE) {
            return metadata.putLabels(ZONE, "zone-" + detail % 3).build();
        }
        return metadata.setNamespace("shop").build();
    }

    private static Message message(ObjectKind kind, ObjectMeta metadata, int detail) {
        String app = "web-" + detail % 3;
        return switch (kind) {
            case NODE -> Node.newBuilder().setMetadata(metadata).build();
            case POD ->
                Pod.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(PodSpec.newBuilder().setNodeName(uid(ObjectKind.NODE, detail % 8)))
                        .build();
            case SERVICE ->
                Service.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(ServiceSpec.newBuilder().putSelector("app", app))
                        .build();
            case REPLICATION_CONTROLLER ->
                ReplicationController.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(ReplicationControllerSpec.newBuilder().putSelector("app", app))
                        .build();
            case REPLICA_SET ->
                ReplicaSet.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(ReplicaSetSpec.newBuilder()
                                .setSelector(LabelSelector.newBuilder().putMatchLabels("app", app)))
                        .build();
            case POD_DISRUPTION_BUDGET ->
                PodDisruptionBudget.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(PodDisruptionBudgetSpec.newBuilder()
                                .setSelector(LabelSelector.newBuilder().putMatchLabels("app", app)))
                        .setStatus(PodDisruptionBudgetStatus.newBuilder().setDisruptionsAllowed(detail % 3))
                        .build();
            case STATEFUL_SET ->
                StatefulSet.newBuilder()
                        .setMetadata(metadata)
                        .setSpec(StatefulSetSpec.newBuilder()
                                .setSelector(LabelSelector.newBuilder().putMatchLabels("app", app)))
                        .build();
        };
    }
}
