package io.evenkeel.lab.controlplane;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.evenkeel.loadtest.cluster.Labels;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import java.util.Map;

/**
 * Completes objects with the fields that an API server requires and Evenkeel does not read: containers, templates and
 * so on. Omits versions and UIDs because the server assigns them.
 */
public final class WholeObjects {
    private static final int CONTAINERS = 2;
    private static final int REPLICAS = 1;
    private static final int TEMPLATE = 3;
    private static final int CLUSTER_IP = 3;
    private static final int SERVICE_NAME = 5;
    private static final int NODE_STATUS = 3;
    private static final int ALLOCATABLE = 2;
    private static final int RESOURCES = 8;
    private static final int REQUESTS = 2;
    private static final int LIMITS = 1;
    private static final int PRIORITY_CLASS = 24;
    private static final String POOL_WITH_DEVICES = "gpu";
    private static final String DEVICE = "nvidia.com/gpu";
    private static final UnknownFieldSet CONTAINER = all(
            fields(1, ByteString.copyFromUtf8("main")), fields(2, ByteString.copyFromUtf8("registry.example/app:1")));
    private static final UnknownFieldSet ONE_CONTAINER = fields(CONTAINERS, CONTAINER.toByteString());
    private static final UnknownFieldSet CONTAINER_WITH_DEVICE = fields(
            CONTAINERS,
            all(
                            CONTAINER,
                            fields(
                                    RESOURCES,
                                    all(resource(LIMITS, DEVICE, "1"), resource(REQUESTS, DEVICE, "1"))
                                            .toByteString()))
                    .toByteString());

    private WholeObjects() {}

    /** A node with room for pods; nodes of the pool "gpu" have one device. */
    public static ByteString node(Node node) {
        UnknownFieldSet room = all(
                resource(ALLOCATABLE, "cpu", "64"),
                resource(ALLOCATABLE, "memory", "256Gi"),
                resource(ALLOCATABLE, "pods", "500"));
        if (hasDevice(node)) {
            room = all(room, resource(ALLOCATABLE, DEVICE, "1"));
        }
        return node.toBuilder()
                .setMetadata(fresh(node.getMetadata()))
                .setUnknownFields(fields(NODE_STATUS, room.toByteString()))
                .build()
                .toByteString();
    }

    /** Whether a node has a device. */
    public static boolean hasDevice(Node node) {
        return POOL_WITH_DEVICES.equals(node.getMetadata().getLabelsMap().get(Labels.POOL));
    }

    /** A pod that requests a device. Each node of the pool "gpu" has one. */
    public static ByteString podWithDevice(Pod pod, String priorityClass) {
        Pod whole = pod.toBuilder()
                .setMetadata(fresh(pod.getMetadata()))
                .setSpec(pod.getSpec().toBuilder()
                        .setUnknownFields(all(
                                CONTAINER_WITH_DEVICE, fields(PRIORITY_CLASS, ByteString.copyFromUtf8(priorityClass)))))
                .clearStatus()
                .build();
        return whole.toByteString();
    }

    /** A pod, bound if it names a node. */
    public static ByteString pod(Pod pod) {
        return pod.toBuilder()
                .setMetadata(fresh(pod.getMetadata()))
                .setSpec(withContainer(pod.getSpec()))
                .clearStatus()
                .build()
                .toByteString();
    }

    /** A headless service, which needs no ports. */
    public static ByteString service(Service service) {
        Service.Builder whole = service.toBuilder().setMetadata(fresh(service.getMetadata()));
        whole.getSpecBuilder().setUnknownFields(fields(CLUSTER_IP, ByteString.copyFromUtf8("None")));
        return whole.build().toByteString();
    }

    public static ByteString replicationController(ReplicationController controller) {
        ReplicationController.Builder whole = controller.toBuilder().setMetadata(fresh(controller.getMetadata()));
        whole.getSpecBuilder().setUnknownFields(template(controller.getSpec().getSelectorMap()));
        return whole.build().toByteString();
    }

    /** A ReplicaSet with zero replicas. Its pods are created separately, and a controller would create more. */
    public static ByteString replicaSet(ReplicaSet set) {
        ReplicaSet.Builder whole = set.toBuilder().setMetadata(fresh(set.getMetadata()));
        UnknownFieldSet none = UnknownFieldSet.newBuilder()
                .addField(
                        REPLICAS,
                        UnknownFieldSet.Field.newBuilder().addVarint(0).build())
                .build();
        whole.getSpecBuilder().setUnknownFields(all(none, template(set.getSpec().getSelector())));
        return whole.build().toByteString();
    }

    public static ByteString statefulSet(StatefulSet set) {
        StatefulSet.Builder whole = set.toBuilder().setMetadata(fresh(set.getMetadata()));
        whole.getSpecBuilder()
                .setUnknownFields(all(
                        template(set.getSpec().getSelector()),
                        fields(SERVICE_NAME, set.getMetadata().getNameBytes())));
        return whole.build().toByteString();
    }

    private static ObjectMeta fresh(ObjectMeta metadata) {
        return metadata.toBuilder()
                .clearResourceVersion()
                .clearUid()
                .clearDeletionTimestamp()
                .build();
    }

    private static PodSpec withContainer(PodSpec spec) {
        return spec.toBuilder().setUnknownFields(ONE_CONTAINER).build();
    }

    private static UnknownFieldSet template(LabelSelector selector) {
        return template(selector.getMatchLabelsMap());
    }

    /** A pod template with these labels. It is encoded like a pod. */
    private static UnknownFieldSet template(Map<String, String> labels) {
        Pod pod = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().putAllLabels(labels))
                .setSpec(withContainer(PodSpec.getDefaultInstance()))
                .build();
        return fields(TEMPLATE, pod.toByteString());
    }

    private static UnknownFieldSet fields(int number, ByteString value) {
        return UnknownFieldSet.newBuilder()
                .addField(
                        number,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(value)
                                .build())
                .build();
    }

    /** An entry of a map from resource name to quantity. */
    private static UnknownFieldSet resource(int map, String name, String quantity) {
        UnknownFieldSet entry = all(
                fields(1, ByteString.copyFromUtf8(name)),
                fields(2, fields(1, ByteString.copyFromUtf8(quantity)).toByteString()));
        return fields(map, entry.toByteString());
    }

    private static UnknownFieldSet all(UnknownFieldSet... parts) {
        UnknownFieldSet.Builder whole = UnknownFieldSet.newBuilder();
        for (UnknownFieldSet part : parts) {
            whole.mergeFrom(part);
        }
        return whole.build();
    }
}
