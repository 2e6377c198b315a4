package io.evenkeel.client;

import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;

/** Creates small clusters: nodes in zones, and pods labelled {@code app=web} in the namespace {@code shop}. */
final class ClientWorld {
    static final String ZONE = "topology.kubernetes.io/zone";

    private ClientWorld() {}

    static Node node(String name, String zone) {
        return Node.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setName(name)
                        .setUid("uid-of-" + name)
                        .putLabels(ZONE, zone)
                        .putLabels("kubernetes.io/hostname", name))
                .build();
    }

    static Pod pod(String name, String node) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace("shop")
                        .setName(name)
                        .setUid("uid-of-" + name)
                        .putLabels("app", "web"))
                .setSpec(PodSpec.newBuilder().setNodeName(node))
                .build();
    }

    /** A pod to be placed, with one constraint over zones. */
    static Pod incoming(int maxSkew, String whenUnsatisfiable) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setNamespace("shop").putLabels("app", "web"))
                .setSpec(PodSpec.newBuilder()
                        .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                                .setMaxSkew(maxSkew)
                                .setTopologyKey(ZONE)
                                .setWhenUnsatisfiable(whenUnsatisfiable)
                                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"))))
                .build();
    }

    static Pod hard() {
        return incoming(1, "DoNotSchedule");
    }

    static Pod soft() {
        return incoming(1, "ScheduleAnyway");
    }

    /** A query that takes long: about pods with constraints that no query has used before. */
    static EvaluateRequest laborious() {
        EvaluateRequest.Builder many = EvaluateRequest.newBuilder();
        for (int i = 0; i < 1_000; i++) {
            Pod.Builder pod = Pod.newBuilder().setMetadata(hard().getMetadata());
            for (int j = 0; j < 60; j++) {
                pod.getSpecBuilder()
                        .addTopologySpreadConstraints(hard().getSpec().getTopologySpreadConstraints(0).toBuilder()
                                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("k" + i, "v" + j)));
            }
            many.addPods(pod);
        }
        return many.build();
    }

    /** One node in each zone, {@code node-a}, {@code node-b} and so on, with {@code pods} pods each. */
    static List<ClusterObject> zones(int... pods) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int zone = 0; zone < pods.length; zone++) {
            char letter = (char) ('a' + zone);
            objects.add(ClusterObjects.of(node("node-" + letter, "zone-" + letter)));
            for (int i = 0; i < pods[zone]; i++) {
                objects.add(ClusterObjects.of(pod("web-" + letter + i, "node-" + letter)));
            }
        }
        return objects;
    }

    static ApplyResponse add(PlacementClient client, List<ClusterObject> objects) {
        List<ClusterEvent> events = objects.stream().map(ClusterObjects::added).toList();
        return client.apply(ApplyRequest.newBuilder().addAllEvents(events).build());
    }
}
