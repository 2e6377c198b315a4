package io.evenkeel.loadtest.cluster;

import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicaSetSpec;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A workload of a generated cluster. It generates the pods of one Deployment, and the ReplicaSet and Service that
 * select them. Immutable.
 */
public final class Workload {
    private final int number;
    private final int firstPod;
    private final int pods;
    private final Spread spread;
    private final String namespace;
    private final String name;
    private final ObjectMeta replicaSetMeta;
    private final String serviceUid;
    private final SortedMap<String, String> labels;
    private final PodSpec spec;
    private final Pod incomingPod;

    /**
     * @param firstPod the number of pods of all workloads before this one
     * @param namespaces the number of namespaces, to which workloads are assigned in turn
     */
    Workload(long seed, int number, int firstPod, int pods, int namespaces) {
        this.number = number;
        this.firstPod = firstPod;
        this.pods = pods;
        spread = Spread.OF_WORKLOADS.get(number % Spread.OF_WORKLOADS.size());
        namespace = "team-%02d".formatted(number % namespaces);
        name = "app-%04d".formatted(number);
        Dice dice = new Dice(seed, "workload", number);
        String hash = dice.suffix(9);
        labels =
                new TreeMap<>(Map.of("app", name, "tier", dice.oneIn(3) ? "back" : "front", "pod-template-hash", hash));
        replicaSetMeta = meta(name + "-" + hash, dice.uid()).build();
        serviceUid = dice.uid();
        spec = spec(spread);
        // Longer than the suffixes of bound pods, so that it differs from all of them.
        incomingPod = pod(dice, dice.suffix(6));
    }

    /** The number of the workload in the cluster, from 0. */
    public int number() {
        return number;
    }

    public String namespace() {
        return namespace;
    }

    public String name() {
        return name;
    }

    public Spread spread() {
        return spread;
    }

    /** The number of its bound pods. */
    public int pods() {
        return pods;
    }

    /** The number of its first pod in the cluster; its other pods follow. */
    public int firstPod() {
        return firstPod;
    }

    /** A pod to be placed: a new, unbound replica. Each call returns an equal pod. */
    public Pod incomingPod() {
        return incomingPod;
    }

    /** The same pod with the constraints of {@code asked}. */
    Pod incomingPod(Spread asked) {
        return incomingPod.toBuilder().setSpec(spec(asked)).build();
    }

    /**
     * A pod to be placed that is in the workload's namespace but does not belong to the workload: it has no owner and
     * no constraints, and no Service selects it.
     */
    Pod strangerPod() {
        return incomingPod.toBuilder()
                .setMetadata(incomingPod.getMetadata().toBuilder()
                        .clearOwnerReferences()
                        .clearLabels()
                        .putLabels("run", name))
                .setSpec(spec(Spread.DEFAULTS_WITH_OWNER))
                .build();
    }

    /** A new, unbound replica with a UID from {@code dice}. */
    Pod pod(Dice dice, String suffix) {
        return Pod.newBuilder()
                .setMetadata(meta(replicaSetMeta.getName() + "-" + suffix, dice.uid())
                        .putAllLabels(labels)
                        .addOwnerReferences(OwnerReference.newBuilder()
                                .setApiVersion("apps/v1")
                                .setKind("ReplicaSet")
                                .setName(replicaSetMeta.getName())
                                .setUid(replicaSetMeta.getUid())
                                .setController(true)))
                .setSpec(spec)
                .build();
    }

    private PodSpec spec(Spread asked) {
        PodSpec.Builder builder = PodSpec.newBuilder().setSchedulerName("default-scheduler");
        asked.ask(
                builder, LabelSelector.newBuilder().putMatchLabels("app", name).build());
        return builder.build();
    }

    ReplicaSet replicaSet() {
        return ReplicaSet.newBuilder()
                .setMetadata(replicaSetMeta.toBuilder().putAllLabels(labels))
                .setSpec(ReplicaSetSpec.newBuilder()
                        .setSelector(LabelSelector.newBuilder()
                                .putMatchLabels("app", name)
                                .putMatchLabels("pod-template-hash", labels.get("pod-template-hash"))))
                .build();
    }

    Service service() {
        return Service.newBuilder()
                .setMetadata(meta(name, serviceUid))
                .setSpec(ServiceSpec.newBuilder().putSelector("app", name))
                .build();
    }

    private ObjectMeta.Builder meta(String objectName, String uid) {
        return ObjectMeta.newBuilder()
                .setNamespace(namespace)
                .setName(objectName)
                .setUid(uid);
    }
}
