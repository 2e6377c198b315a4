package io.evenkeel.warmup;

import io.evenkeel.client.ClusterObjects;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeSpec;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStatus;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicaSetSpec;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import io.evenkeel.v1.Toleration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** A small cluster of objects with the fields of real ones. */
final class SmallCluster {
    static final int NODES = 300;
    static final int POOLS = 100;
    static final String ZONE = "topology.kubernetes.io/zone";
    static final String HOSTNAME = "kubernetes.io/hostname";

    /** The tolerations that the API server adds to each pod. */
    static final List<Toleration> EACH_PODS = List.of(toleration("not-ready"), toleration("unreachable"));

    private static final int APPS = 8;
    private static final int ZONES = 3;
    private static final int PODS = 1_500;
    private static final int FIRST_VERSION = 1;

    private SmallCluster() {}

    /** The objects of a snapshot. */
    static List<ClusterObject> objects() {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            String name = nodeName(i);
            objects.add(ClusterObjects.of(Node.newBuilder()
                    .setMetadata(metadata(name, FIRST_VERSION)
                            .clearNamespace()
                            .putLabels(HOSTNAME, name)
                            .putLabels(ZONE, "zone-" + i % ZONES)
                            .putLabels("pool", "pool-" + i % POOLS))
                    .setSpec(NodeSpec.getDefaultInstance())
                    .build()));
        }
        for (int i = 0; i < APPS; i++) {
            objects.add(ClusterObjects.of(Service.newBuilder()
                    .setMetadata(metadata(app(i), FIRST_VERSION))
                    .setSpec(ServiceSpec.newBuilder().putSelector("app", app(i)))
                    .build()));
            objects.add(ClusterObjects.of(ReplicaSet.newBuilder()
                    .setMetadata(metadata(app(i), FIRST_VERSION))
                    .setSpec(ReplicaSetSpec.newBuilder().setSelector(selector(i)))
                    .build()));
        }
        for (int i = 0; i < PODS; i++) {
            objects.add(bound(i, FIRST_VERSION));
        }
        return objects;
    }

    /** The versions at which the snapshot was taken. */
    static Map<ObjectKind, String> versions() {
        Map<ObjectKind, String> versions = new EnumMap<>(ObjectKind.class);
        for (ObjectKind kind : ObjectKind.values()) {
            if (kind != ObjectKind.OBJECT_KIND_UNSPECIFIED && kind != ObjectKind.UNRECOGNIZED) {
                versions.put(kind, Integer.toString(FIRST_VERSION));
            }
        }
        return versions;
    }

    /**
     * Adds a pod, or removes it with the next change. Each change must have a greater number than the previous one. The
     * pod is the only one of its revision, so that lists of workloads read it.
     */
    static ClusterEvent change(int number) {
        ClusterObject.Builder changed = bound(PODS + number / 2, number + 2).toBuilder();
        int app = number / 2;
        Pod.Builder pod = changed.getPodBuilder();
        pod.getMetadataBuilder().putLabels("pod-template-hash", Integer.toString(app));
        WarmUpCalls.constrain(
                pod.getSpecBuilder(),
                selector(app).build(),
                app % 2 == 0 ? WarmUpCalls.HARD : WarmUpCalls.SOFT,
                ZONE,
                HOSTNAME);
        return number % 2 == 0 ? ClusterObjects.added(changed.build()) : ClusterObjects.deleted(changed.build());
    }

    private static ClusterObject bound(int number, int version) {
        return ClusterObjects.of(Pod.newBuilder()
                .setMetadata(pod(number, "pod-" + number, version))
                .setSpec(PodSpec.newBuilder().setNodeName(nodeName(number)).addAllTolerations(EACH_PODS))
                .setStatus(PodStatus.newBuilder().setPhase("Running"))
                .build());
    }

    /** The metadata of a pod of an application, of which there are only a few. */
    static ObjectMeta.Builder pod(int app, String name, int version) {
        return metadata(name, version)
                .putLabels("app", app(app))
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("apps/v1")
                        .setKind("ReplicaSet")
                        .setName(app(app))
                        .setUid(uid(app(app)))
                        .setController(true)
                        .setBlockOwnerDeletion(true));
    }

    /** Selects the pods of an application. */
    static LabelSelector.Builder selector(int app) {
        return LabelSelector.newBuilder().putMatchLabels("app", app(app));
    }

    static String nodeName(int number) {
        return "node-" + number % NODES;
    }

    private static String uid(String name) {
        return "uid-of-" + name;
    }

    private static String app(int number) {
        return "app-" + number % APPS;
    }

    private static ObjectMeta.Builder metadata(String name, int version) {
        return ObjectMeta.newBuilder()
                .setNamespace("warm-up")
                .setName(name)
                .setUid(uid(name))
                .setResourceVersion(Integer.toString(version));
    }

    private static Toleration toleration(String taint) {
        return Toleration.newBuilder()
                .setKey("node.kubernetes.io/" + taint)
                .setOperator("Exists")
                .setEffect("NoExecute")
                .setTolerationSeconds(300)
                .build();
    }
}
