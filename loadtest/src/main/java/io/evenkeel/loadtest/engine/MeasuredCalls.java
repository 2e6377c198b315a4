package io.evenkeel.loadtest.engine;

import com.google.protobuf.StringValue;
import io.evenkeel.client.Session;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Labels;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.LocalServer;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.EstimateNodesResponse;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeGroup;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.PendingPods;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduledPods;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The calls that simulate, made through a channel to a server in this process. */
final class MeasuredCalls implements AutoCloseable {
    private static final int ZONES = 3;
    private static final int PODS_PER_NEW_NODE = 30;
    private static final int MAX_NEW_NODES = 5_000;

    private final LocalServer server = LocalServer.start();

    /** A server with a generated cluster. */
    MeasuredCalls(ClusterGenerator cluster) throws IOException {
        ClusterFill.send(cluster.objects(), server.client());
    }

    /** A server with full nodes, each with one pod of the workload that {@link #pending} belongs to. */
    MeasuredCalls(int fullNodes) throws IOException {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < fullNodes; i++) {
            String name = "full-" + i;
            Node.Builder node = node(i % ZONES, 1).toBuilder();
            node.getMetadataBuilder().setName(name).setUid(name).putLabels(Labels.HOSTNAME, name);
            Pod.Builder pod = pending().toBuilder();
            pod.getMetadataBuilder().setName(name).setUid("pod-" + i);
            pod.getSpecBuilder().setNodeName(name);
            objects.add(ClusterObject.newBuilder().setNode(node).build());
            objects.add(ClusterObject.newBuilder().setPod(pod).build());
        }
        ClusterFill.send(objects.iterator(), server.client());
    }

    Session openSession() {
        return server.client().openSession();
    }

    /** Places equal pods in a session. All must find a node. */
    void schedule(Session session, Pod pod, int count) {
        int placed = server.client()
                .schedule(ScheduleRequest.newBuilder()
                        .setSession(session.id())
                        .addPods(ScheduledPods.newBuilder().setPod(pod).setCount(count))
                        .build())
                .getPlacementsCount();
        if (placed != count) {
            throw new IllegalStateException("only " + placed + " pods found a node");
        }
    }

    /**
     * Estimates how many nodes pending pods need. All pods must be placed, one after another, on that many new nodes.
     * They are spread over the zones of all groups, also over those without nodes.
     *
     * @param groups how many groups of nodes can grow, each in its own zone
     */
    void estimate(Pod pod, int count, int groups, int newNodes) {
        EstimateNodesRequest.Builder request = EstimateNodesRequest.newBuilder()
                .setTemplateDomainsCount(true)
                .addPods(PendingPods.newBuilder().setPod(pod).setCount(count));
        for (int zone = 0; zone < groups; zone++) {
            request.addGroups(NodeGroup.newBuilder()
                    .setName("new-" + zone)
                    .setTemplate(node(zone, PODS_PER_NEW_NODE))
                    .setMaxCount(MAX_NEW_NODES));
        }
        EstimateNodesResponse response = server.client().estimateNodes(request.build());
        int added = response.getNewNodesList().stream()
                .mapToInt(nodes -> nodes.getNamesCount())
                .sum();
        if (response.getStepsCount() != count || added != newNodes) {
            throw new IllegalStateException(
                    response.getStepsCount() + " of " + count + " pods on " + added + " of " + newNodes + " new nodes");
        }
    }

    /** A node of each group that can grow, and a pending pod. */
    static Iterator<ClusterObject> templates(Pod pod) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int zone = 0; zone < ZONES; zone++) {
            Node.Builder node = node(zone, PODS_PER_NEW_NODE).toBuilder();
            node.getMetadataBuilder().setName("new-" + zone);
            objects.add(ClusterObject.newBuilder().setNode(node).build());
        }
        objects.add(ClusterObject.newBuilder().setPod(pod).build());
        return objects.iterator();
    }

    /** A pending pod with hard constraints whose maxSkew is 1. */
    static Pod pending(String... topologyKeys) {
        LabelSelector selector =
                LabelSelector.newBuilder().putMatchLabels("app", "web").build();
        Pod.Builder pod = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setName("pending")
                        .setNamespace("default")
                        .putLabels("app", "web"));
        for (String key : topologyKeys) {
            pod.getSpecBuilder()
                    .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                            .setTopologyKey(key)
                            .setMaxSkew(1)
                            .setWhenUnsatisfiable("DoNotSchedule")
                            .setLabelSelector(selector));
        }
        return pod.build();
    }

    private static Node node(int zone, int maxPods) {
        return Node.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().putLabels(Labels.ZONE, "zone-" + zone))
                .setStatus(NodeStatus.newBuilder()
                        .putAllocatable("cpu", StringValue.of("8"))
                        .putAllocatable("memory", StringValue.of("32Gi"))
                        .putAllocatable("pods", StringValue.of(String.valueOf(maxPods))))
                .build();
    }

    @Override
    public void close() {
        server.close();
    }
}
