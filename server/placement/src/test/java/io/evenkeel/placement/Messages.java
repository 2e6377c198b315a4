package io.evenkeel.placement;

import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeSpec;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Builds small clusters as messages: nodes in zones, with pods that have the label {@code app: web}. The UID of a node
 * or pod is its name.
 */
public final class Messages {
    public static final String ZONE = "topology.kubernetes.io/zone";
    public static final String HOSTNAME = "kubernetes.io/hostname";
    public static final String NAMESPACE = "shop";

    private Messages() {}

    public static Node node(String name, String zone) {
        return node(name, Map.of(ZONE, zone, HOSTNAME, name));
    }

    public static Node node(String name, Map<String, String> labels) {
        return Node.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setName(name).setUid(name).putAllLabels(labels))
                .build();
    }

    /** The node, cordoned. */
    public static Node cordoned(Node node) {
        return node.toBuilder()
                .setSpec(NodeSpec.newBuilder().setUnschedulable(true))
                .build();
    }

    /** A pod of the cluster; {@code node} may be empty. */
    public static Pod pod(String name, String node) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setName(name)
                        .setUid(name)
                        .putLabels("app", "web"))
                .setSpec(PodSpec.newBuilder().setNodeName(node))
                .build();
    }

    /** A pod to be placed, which needs neither name nor UID. */
    public static Pod web(TopologySpreadConstraint... constraints) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setNamespace(NAMESPACE).putLabels("app", "web"))
                .setSpec(PodSpec.newBuilder().addAllTopologySpreadConstraints(Arrays.asList(constraints)))
                .build();
    }

    public static TopologySpreadConstraint hard(String topologyKey) {
        return constraint(topologyKey, 1, "DoNotSchedule");
    }

    public static TopologySpreadConstraint soft(String topologyKey) {
        return constraint(topologyKey, 1, "ScheduleAnyway");
    }

    /** A constraint over the pods with {@code app: web}. */
    public static TopologySpreadConstraint constraint(String topologyKey, int maxSkew, String whenUnsatisfiable) {
        return TopologySpreadConstraint.newBuilder()
                .setTopologyKey(topologyKey)
                .setMaxSkew(maxSkew)
                .setWhenUnsatisfiable(whenUnsatisfiable)
                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"))
                .build();
    }

    public static ClusterObject object(Node node) {
        return ClusterObject.newBuilder().setNode(node).build();
    }

    public static ClusterObject object(Pod pod) {
        return ClusterObject.newBuilder().setPod(pod).build();
    }

    public static ClusterEvent event(ClusterEvent.Type type, ClusterObject object) {
        return ClusterEvent.newBuilder().setType(type).setObject(object).build();
    }

    public static ClusterEvent added(ClusterObject object) {
        return event(ClusterEvent.Type.TYPE_ADDED, object);
    }

    public static ClusterEvent deleted(ClusterObject object) {
        return event(ClusterEvent.Type.TYPE_DELETED, object);
    }

    /**
     * Zones with one node each, which has the zone's name: {@code zones(2, 1)} is z1 with the pods z1-1 and z1-2, and
     * z2 with z2-1.
     */
    public static List<ClusterObject> zones(int... podsPerZone) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int zone = 1; zone <= podsPerZone.length; zone++) {
            String name = "z" + zone;
            objects.add(object(node(name, name)));
            for (int pod = 1; pod <= podsPerZone[zone - 1]; pod++) {
                objects.add(object(pod(name + "-" + pod, name)));
            }
        }
        return objects;
    }

    public static ApplyRequest apply(List<ClusterObject> objects) {
        return ApplyRequest.newBuilder()
                .addAllEvents(objects.stream().map(Messages::added).toList())
                .build();
    }

    public static FilterRequest filter(Pod... pods) {
        return FilterRequest.newBuilder().addAllPods(Arrays.asList(pods)).build();
    }
}
