package io.evenkeel.attack;

import io.evenkeel.placement.Messages;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.grpc.Channel;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** 5,000 nodes in three zones, and 150,000 pods of 300 workloads in one namespace. */
final class FedCluster {
    static final int NODES = 5_000;
    static final int PODS = 150_000;

    private static final int WORKLOADS = 300;
    private static final int IN_A_MESSAGE = 2_000;

    private FedCluster() {}

    static void feed(Channel channel) throws InterruptedException, StatusException {
        BlockingClientCall<SyncRequest, SyncResponse> sync =
                ClusterStateGrpc.newBlockingV2Stub(channel).sync();
        acknowledged(
                sync,
                SyncRequest.newBuilder()
                        .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                        .build());
        feed(sync, NODES, i -> Messages.object(node(i)));
        feed(sync, PODS, i -> Messages.object(pod(i)));
        acknowledged(
                sync,
                SyncRequest.newBuilder()
                        .setEndSnapshot(EndSnapshot.getDefaultInstance())
                        .build());
        sync.halfClose();
    }

    private static void feed(
            BlockingClientCall<SyncRequest, SyncResponse> sync, int count, IntFunction<ClusterObject> objects)
            throws InterruptedException, StatusException {
        List<ClusterObject> message = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            message.add(objects.apply(i));
            if (message.size() == IN_A_MESSAGE || i == count - 1) {
                acknowledged(
                        sync,
                        SyncRequest.newBuilder()
                                .setObjects(Objects.newBuilder().addAllObjects(message))
                                .build());
                message.clear();
            }
        }
    }

    private static void acknowledged(BlockingClientCall<SyncRequest, SyncResponse> sync, SyncRequest message)
            throws InterruptedException, StatusException {
        sync.write(message);
        SyncResponse answer = sync.read();
        if (answer == null || answer.getRefusalsCount() > 0) {
            throw new IllegalStateException("refused: " + answer);
        }
    }

    static Node node(int number) {
        String name = "node-" + number;
        return Messages.node(
                name,
                Map.of(
                        Messages.ZONE,
                        "z" + number % 3,
                        Messages.HOSTNAME,
                        name,
                        "disk",
                        number % 2 == 0 ? "ssd" : "hdd"));
    }

    static Pod pod(int number) {
        return pod("pod-" + number, "node-" + number % NODES, Map.of("app", "app-" + number % WORKLOADS));
    }

    /** A pod to be placed, of an existing workload. */
    static Pod incoming(int workload) {
        Map<String, String> labels = Map.of("app", "app-" + workload);
        LabelSelector selector =
                LabelSelector.newBuilder().putAllMatchLabels(labels).build();
        return incoming(
                labels,
                constraint(Messages.ZONE, "DoNotSchedule", selector),
                constraint(Messages.HOSTNAME, "ScheduleAnyway", selector));
    }

    /** A pod to be placed, with constraints whose selectors are new and match every pod. */
    static Pod newcomer(String name, int constraints) {
        return incoming(
                Map.of("app", "app-7"),
                IntStream.range(0, constraints)
                        .mapToObj(i -> constraint(
                                i % 2 == 0 ? Messages.ZONE : Messages.HOSTNAME,
                                "ScheduleAnyway",
                                without("app", name + "-" + i)))
                        .toArray(TopologySpreadConstraint[]::new));
    }

    private static LabelSelector without(String key, String value) {
        return LabelSelector.newBuilder()
                .addMatchExpressions(LabelSelectorRequirement.newBuilder()
                        .setKey(key)
                        .setOperator("NotIn")
                        .addValues(value))
                .build();
    }

    private static Pod incoming(Map<String, String> labels, TopologySpreadConstraint... constraints) {
        return Pod.newBuilder()
                .setMetadata(
                        ObjectMeta.newBuilder().setNamespace(Messages.NAMESPACE).putAllLabels(labels))
                .setSpec(PodSpec.newBuilder().addAllTopologySpreadConstraints(Arrays.asList(constraints)))
                .build();
    }

    private static TopologySpreadConstraint constraint(String key, String whenUnsatisfiable, LabelSelector selector) {
        return Messages.constraint(key, 1, whenUnsatisfiable).toBuilder()
                .setLabelSelector(selector)
                .build();
    }

    static Pod pod(String name, String node, Map<String, String> labels) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(Messages.NAMESPACE)
                        .setName(name)
                        .setUid("00000000-0000-4000-8000-" + name)
                        .putAllLabels(labels))
                .setSpec(PodSpec.newBuilder().setNodeName(node))
                .build();
    }
}
