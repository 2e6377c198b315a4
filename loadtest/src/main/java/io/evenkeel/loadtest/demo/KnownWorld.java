package io.evenkeel.loadtest.demo;

import io.evenkeel.loadtest.cluster.Labels;
import io.evenkeel.v1.Affinity;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeAffinity;
import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.NodeSelectorTerm;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * A small cluster, a pod to be placed, and the nodes to which it may go. The nodes run pods with the same labels as
 * that pod, which its constraints count.
 *
 * <p>{@code mayGoTo} names the nodes, best first: {@code A = B} for equal scores, {@code B > A} for different scores,
 * and {@code A, B} if nothing is scored.
 */
final class KnownWorld {
    private static final String POOL = "pool";
    private static final String OPEN = "open";
    private static final String SHUT = "shut";

    private final String now;
    private final String mayGoTo;
    private final List<ClusterObject> objects = new ArrayList<>();
    private final Pod.Builder incoming;

    private KnownWorld(String now, String mayGoTo) {
        this.now = now;
        this.mayGoTo = mayGoTo;
        incoming = pod("incoming").toBuilder();
    }

    /** @param now the cluster and the constraint as text */
    static KnownWorld of(String now, String mayGoTo) {
        return new KnownWorld(now, mayGoTo);
    }

    /** Adds a node in a zone with {@code pods} pods. It accepts any pod. */
    KnownWorld node(String name, String zone, int pods) {
        return node(name, zone, pods, node -> {});
    }

    /** Adds a node whose taint the incoming pod does not tolerate. */
    KnownWorld taintedNode(String name, String zone, int pods) {
        return node(
                name,
                zone,
                pods,
                node -> node.getSpecBuilder()
                        .addTaintsBuilder()
                        .setKey("dedicated")
                        .setValue("other")
                        .setEffect("NoSchedule"));
    }

    /** Adds a node that does not match the incoming pod's required node affinity. */
    KnownWorld nodeShutByAffinity(String name, String zone, int pods) {
        return node(name, zone, pods, node -> node.getMetadataBuilder().putLabels(POOL, SHUT));
    }

    /** A cluster with one node per zone. The node has the zone's name, and {@code pods} gives its number of pods. */
    static KnownWorld zones(String now, String mayGoTo, int... pods) {
        KnownWorld world = of(now, mayGoTo);
        for (int i = 0; i < pods.length; i++) {
            String name = Character.toString('A' + i);
            world.node(name, name, pods[i]);
        }
        return world;
    }

    /**
     * Like {@link #zones}, with an additional zone whose only node has a taint that the incoming pod does not tolerate.
     */
    static KnownWorld zonesAndTaintedOne(String now, String mayGoTo, int taintedPods, int... pods) {
        KnownWorld world = zones(now, mayGoTo, pods);
        String name = Character.toString('A' + pods.length);
        return world.taintedNode(name, name, taintedPods);
    }

    KnownWorld hard(String topologyKey) {
        return constraint(topologyKey, "DoNotSchedule", constraint -> {});
    }

    KnownWorld soft(String topologyKey) {
        return constraint(topologyKey, "ScheduleAnyway", constraint -> {});
    }

    KnownWorld hard(String topologyKey, Consumer<TopologySpreadConstraint.Builder> more) {
        return constraint(topologyKey, "DoNotSchedule", more);
    }

    /** Adds node affinity to the incoming pod, which {@linkplain #nodeShutByAffinity excludes nodes}. */
    KnownWorld requiringOpenNodes() {
        incoming.getSpecBuilder()
                .setAffinity(Affinity.newBuilder()
                        .setNodeAffinity(NodeAffinity.newBuilder()
                                .setRequiredDuringSchedulingIgnoredDuringExecution(NodeSelector.newBuilder()
                                        .addNodeSelectorTerms(NodeSelectorTerm.newBuilder()
                                                .addMatchExpressions(NodeSelectorRequirement.newBuilder()
                                                        .setKey(POOL)
                                                        .setOperator("In")
                                                        .addValues(OPEN))))));
        return this;
    }

    String now() {
        return now;
    }

    String mayGoTo() {
        return mayGoTo;
    }

    List<ClusterObject> objects() {
        return objects;
    }

    Pod incoming() {
        return incoming.build();
    }

    private KnownWorld node(String name, String zone, int pods, Consumer<Node.Builder> more) {
        Node.Builder node = Node.newBuilder();
        node.getMetadataBuilder()
                .setName(name)
                .setUid("node-" + name)
                .putLabels(Labels.HOSTNAME, name)
                .putLabels(Labels.ZONE, zone)
                .putLabels(POOL, OPEN);
        more.accept(node);
        objects.add(ClusterObject.newBuilder().setNode(node).build());
        for (int i = 1; i <= pods; i++) {
            Pod.Builder pod = pod(name.toLowerCase(Locale.ROOT) + "-" + i).toBuilder();
            pod.getSpecBuilder().setNodeName(name);
            objects.add(ClusterObject.newBuilder().setPod(pod).build());
        }
        return this;
    }

    private KnownWorld constraint(
            String topologyKey, String whenUnsatisfiable, Consumer<TopologySpreadConstraint.Builder> more) {
        TopologySpreadConstraint.Builder constraint = TopologySpreadConstraint.newBuilder()
                .setMaxSkew(1)
                .setTopologyKey(topologyKey)
                .setWhenUnsatisfiable(whenUnsatisfiable)
                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"));
        more.accept(constraint);
        incoming.getSpecBuilder().addTopologySpreadConstraints(constraint);
        return this;
    }

    private static Pod pod(String name) {
        Pod.Builder pod = Pod.newBuilder();
        pod.getMetadataBuilder()
                .setNamespace("shop")
                .setName(name)
                .setUid("pod-" + name)
                .putLabels("app", "web");
        return pod.build();
    }
}
