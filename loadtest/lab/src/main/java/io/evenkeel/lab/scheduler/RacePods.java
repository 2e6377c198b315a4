package io.evenkeel.lab.scheduler;

import com.google.protobuf.ByteString;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.controlplane.Calls;
import io.evenkeel.lab.controlplane.WholeObjects;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Labels;
import io.evenkeel.loadtest.cluster.Replicas;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The pods that a turn binds: replicas of the cluster's workloads. If its shape has churn, low-priority pods occupy
 * devices, and some of the turn's pods need one. Equal clusters, shapes and counts give equal pods.
 */
final class RacePods {
    /** The pods' schedulerName. */
    static final String SCHEDULER = "default-scheduler";

    private static final String FIRST_CLASS = "race-first";
    private static final String DEVICE_TAINT = "nvidia.com/gpu";
    private static final int ONE_NEEDS_A_DEVICE_IN = 20;

    private final List<Pod> incoming = new ArrayList<>();
    private final List<Pod> preempting = new ArrayList<>();
    private final List<Pod> inTheirWay = new ArrayList<>();

    RacePods(ClusterGenerator cluster, RaceShape shape, int count) {
        String namespace = cluster.workloads().get(0).namespace();
        if (shape.hasChurn()) {
            Map<String, List<Node>> byZone = nodesWithDevices(cluster);
            int inEachZone = byZone.size() < cluster.shape().zones()
                    ? 0
                    : byZone.values().stream().mapToInt(List::size).min().orElse(0);
            // Half of the devices, so that the scheduler has a choice.
            int most = (inEachZone + 1) / 2 * byZone.size();
            byZone.values()
                    .forEach(nodes -> nodes.forEach(node -> inTheirWay.add(bound(namespace, inTheirWay.size(), node))));
            for (int i = 0; i < Math.min(most, count / ONE_NEEDS_A_DEVICE_IN); i++) {
                preempting.add(preempting(namespace, i));
            }
        }
        List<Spread> shapes = shape.shapes();
        for (int i = 0; i < count - preempting.size(); i++) {
            Spread asked = shapes.get(i % shapes.size());
            List<Workload> workloads = asked.workloads(cluster);
            incoming.add(Replicas.of(asked.of(workloads.get(i / shapes.size() % workloads.size())), i));
        }
    }

    /** The key of a pod: its namespace and its name. */
    static String key(Pod pod) {
        return pod.getMetadata().getNamespace() + '/' + pod.getMetadata().getName();
    }

    /** The keys of all pods to bind. */
    Set<String> keys() {
        Set<String> keys = new LinkedHashSet<>();
        preempting.forEach(pod -> keys.add(key(pod)));
        incoming.forEach(pod -> keys.add(key(pod)));
        return keys;
    }

    /** The pods to bind that do not need preemption. */
    List<Pod> incoming() {
        return Collections.unmodifiableList(incoming);
    }

    /** Creates the pods on an API server. */
    void create(ApiServer server) throws InterruptedException {
        Calls calls = new Calls();
        if (!inTheirWay.isEmpty()) {
            calls.submit(() -> server.call(
                    "POST",
                    "/apis/scheduling.k8s.io/v1/priorityclasses",
                    "{\"metadata\": {\"name\": \"" + FIRST_CLASS + "\"}, \"value\": 1000}"));
            calls.await();
        }
        for (Pod pod : inTheirWay) {
            create(pod, WholeObjects.podWithDevice(pod, ""), server, calls);
        }
        calls.await();
        for (Pod pod : preempting) {
            create(pod, WholeObjects.podWithDevice(pod, FIRST_CLASS), server, calls);
        }
        for (Pod pod : incoming) {
            create(pod, WholeObjects.pod(pod), server, calls);
        }
        calls.await();
    }

    private static void create(Pod pod, ByteString whole, ApiServer server, Calls calls) throws InterruptedException {
        calls.submit(() -> server.create(ObjectKind.POD, pod.getMetadata().getNamespace(), whole));
    }

    private static Map<String, List<Node>> nodesWithDevices(ClusterGenerator cluster) {
        Map<String, List<Node>> byZone = new TreeMap<>();
        for (Iterator<ClusterObject> objects = cluster.objects(); objects.hasNext(); ) {
            ClusterObject object = objects.next();
            if (!object.hasNode()) {
                break;
            }
            Map<String, String> labels = object.getNode().getMetadata().getLabelsMap();
            if (WholeObjects.hasDevice(object.getNode())) {
                byZone.computeIfAbsent(labels.getOrDefault(Labels.ZONE, ""), zone -> new ArrayList<>())
                        .add(object.getNode());
            }
        }
        return byZone;
    }

    private static Pod bound(String namespace, int number, Node node) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(namespace)
                        .setName("backlog-%05d".formatted(number))
                        .putLabels("app", "backlog"))
                .setSpec(PodSpec.newBuilder()
                        .setSchedulerName(SCHEDULER)
                        .setNodeName(node.getMetadata().getName()))
                .build();
    }

    private static Pod preempting(String namespace, int number) {
        LabelSelector selector =
                LabelSelector.newBuilder().putMatchLabels("app", "trainer").build();
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(namespace)
                        .setName("trainer-%05d".formatted(number))
                        .putLabels("app", "trainer"))
                .setSpec(PodSpec.newBuilder()
                        .setSchedulerName(SCHEDULER)
                        .addTolerations(
                                Toleration.newBuilder().setKey(DEVICE_TAINT).setOperator("Exists"))
                        .addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                                .setMaxSkew(1)
                                .setTopologyKey(Labels.ZONE)
                                .setWhenUnsatisfiable("DoNotSchedule")
                                .setLabelSelector(selector)))
                .build();
    }
}
