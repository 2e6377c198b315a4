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
    static final int APPS = 8;
    static final int POOLS = 100;

    /**
     * The number of further labels on each node. Half of them have a domain for each node, the others one for each
     * zone.
     */
    static final int KEYS = 40;

    static final String NAMESPACE = "warm-up";
    static final String ZONE = "topology.kubernetes.io/zone";
    static final String HOSTNAME = "kubernetes.io/hostname";

    /** The tolerations that the API server adds to each pod. */
    static final List<Toleration> EACH_PODS = List.of(toleration("not-ready"), toleration("unreachable"));

    private static final int ZONES = 3;
    private static final int PODS = 1_500;
    private static final String FIRST_VERSION = "1";

    /** The prefix of their UIDs. */
    private static final String REPLICA_SETS = "replica-set-";

    private SmallCluster() {}

    /** The objects of a snapshot. */
    static List<ClusterObject> objects() {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            objects.add(ClusterObjects.of(node(i)));
        }
        for (int app = 0; app < APPS; app++) {
            objects.add(ClusterObjects.of(service(app)));
            objects.add(ClusterObjects.of(replicaSet(app)));
        }
        for (int i = 0; i < PODS; i++) {
            objects.add(ClusterObjects.of(bound(i, FIRST_VERSION)));
        }
        return objects;
    }

    /** The versions at which the snapshot was taken. */
    static Map<ObjectKind, String> versions() {
        Map<ObjectKind, String> versions = new EnumMap<>(ObjectKind.class);
        for (ObjectKind kind : ObjectKind.values()) {
            if (kind != ObjectKind.OBJECT_KIND_UNSPECIFIED && kind != ObjectKind.UNRECOGNIZED) {
                versions.put(kind, FIRST_VERSION);
            }
        }
        return versions;
    }

    /** Adds a pod, or removes it with the next change. Each change must have a greater number than the previous one. */
    static ClusterEvent change(int number) {
        ClusterObject pod = ClusterObjects.of(bound(PODS + number / 2, Integer.toString(number + 2)));
        return number % 2 == 0 ? ClusterObjects.added(pod) : ClusterObjects.deleted(pod);
    }

    static String nodeName(int number) {
        return "node-" + number % NODES;
    }

    /** The metadata of a pod of an application. */
    static ObjectMeta.Builder podOf(int app, String name) {
        return ObjectMeta.newBuilder()
                .setNamespace(NAMESPACE)
                .setName(name)
                .setUid("uid-of-" + name)
                .putLabels("app", app(app))
                .addOwnerReferences(byReplicaSet(app(app), REPLICA_SETS + app));
    }

    /** The reference to the ReplicaSet that controls a pod. */
    static OwnerReference byReplicaSet(String name, String uid) {
        return OwnerReference.newBuilder()
                .setApiVersion("apps/v1")
                .setKind("ReplicaSet")
                .setName(name)
                .setUid(uid)
                .setController(true)
                .setBlockOwnerDeletion(true)
                .build();
    }

    static String app(int number) {
        return "app-" + number % APPS;
    }

    private static Node node(int number) {
        String name = nodeName(number);
        ObjectMeta.Builder metadata = ObjectMeta.newBuilder()
                .setName(name)
                .setUid(name)
                .setResourceVersion(FIRST_VERSION)
                .putLabels(HOSTNAME, name)
                .putLabels(ZONE, "zone-" + number % ZONES)
                .putLabels("pool", "pool-" + number % POOLS);
        for (int key = 0; key < KEYS; key++) {
            metadata.putLabels("key-" + key, "domain-" + (key % 2 == 0 ? number : number % ZONES));
        }
        return Node.newBuilder()
                .setMetadata(metadata)
                .setSpec(NodeSpec.getDefaultInstance())
                .build();
    }

    private static Pod bound(int number, String version) {
        return Pod.newBuilder()
                .setMetadata(podOf(number % APPS, "pod-" + number).setResourceVersion(version))
                .setSpec(PodSpec.newBuilder().setNodeName(nodeName(number)).addAllTolerations(EACH_PODS))
                .setStatus(PodStatus.newBuilder().setPhase("Running"))
                .build();
    }

    private static Service service(int app) {
        return Service.newBuilder()
                .setMetadata(owned(app, "service-"))
                .setSpec(ServiceSpec.newBuilder().putSelector("app", app(app)))
                .build();
    }

    private static ReplicaSet replicaSet(int app) {
        return ReplicaSet.newBuilder()
                .setMetadata(owned(app, REPLICA_SETS))
                .setSpec(ReplicaSetSpec.newBuilder()
                        .setSelector(LabelSelector.newBuilder().putMatchLabels("app", app(app))))
                .build();
    }

    private static ObjectMeta.Builder owned(int app, String uids) {
        return ObjectMeta.newBuilder()
                .setNamespace(NAMESPACE)
                .setName(app(app))
                .setUid(uids + app)
                .setResourceVersion(FIRST_VERSION);
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
