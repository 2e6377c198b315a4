package io.evenkeel.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;

/** Creates the messages that a feed sends: Kubernetes objects and events about them. */
public final class ClusterObjects {
    private ClusterObjects() {}

    public static ClusterObject of(Node node) {
        return ClusterObject.newBuilder().setNode(node).build();
    }

    public static ClusterObject of(Pod pod) {
        return ClusterObject.newBuilder().setPod(pod).build();
    }

    public static ClusterObject of(Service service) {
        return ClusterObject.newBuilder().setService(service).build();
    }

    public static ClusterObject of(ReplicationController controller) {
        return ClusterObject.newBuilder().setReplicationController(controller).build();
    }

    public static ClusterObject of(ReplicaSet replicaSet) {
        return ClusterObject.newBuilder().setReplicaSet(replicaSet).build();
    }

    public static ClusterObject of(StatefulSet statefulSet) {
        return ClusterObject.newBuilder().setStatefulSet(statefulSet).build();
    }

    public static ClusterObject of(PodDisruptionBudget budget) {
        return ClusterObject.newBuilder().setPodDisruptionBudget(budget).build();
    }

    public static ClusterEvent added(ClusterObject object) {
        return event(ClusterEvent.Type.TYPE_ADDED, object);
    }

    public static ClusterEvent modified(ClusterObject object) {
        return event(ClusterEvent.Type.TYPE_MODIFIED, object);
    }

    /** A deletion event. Only {@code metadata.uid} of the object is needed. */
    public static ClusterEvent deleted(ClusterObject object) {
        return event(ClusterEvent.Type.TYPE_DELETED, object);
    }

    /** A bookmark: the feed of the kind has reached this resourceVersion without a change. */
    public static ClusterEvent bookmark(ObjectKind kind, String resourceVersion) {
        if (kind == ObjectKind.OBJECT_KIND_UNSPECIFIED || kind == ObjectKind.UNRECOGNIZED) {
            throw new IllegalArgumentException("kind must be a known kind, was " + kind);
        }
        ClusterObject.Builder object = ClusterObject.newBuilder();
        FieldDescriptor field = ClusterObject.getDescriptor().findFieldByNumber(kind.getNumber());
        Message.Builder ofKind = object.newBuilderForField(field);
        FieldDescriptor metadata = ofKind.getDescriptorForType().findFieldByName("metadata");
        ofKind.setField(
                metadata,
                ObjectMeta.newBuilder().setResourceVersion(resourceVersion).build());
        object.setField(field, ofKind.build());
        return event(ClusterEvent.Type.TYPE_BOOKMARK, object.build());
    }

    private static ClusterEvent event(ClusterEvent.Type type, ClusterObject object) {
        return ClusterEvent.newBuilder().setType(type).setObject(object).build();
    }
}
