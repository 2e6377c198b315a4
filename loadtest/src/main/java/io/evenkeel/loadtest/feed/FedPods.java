package io.evenkeel.loadtest.feed;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Replicas;
import io.evenkeel.v1.Pod;

/**
 * The bound pods of a generated cluster as they are fed to a server: of a given size, with or without a unique label.
 * Immutable.
 */
final class FedPods {
    private static final int AS_THEY_ARE = 0;

    private final ClusterGenerator cluster;
    private final int bytes;
    private final boolean labelled;

    private FedPods(ClusterGenerator cluster, int bytes, boolean labelled) {
        this.cluster = cluster;
        this.bytes = bytes;
        this.labelled = labelled;
    }

    /** The pods with only the fields that topology spread depends on. */
    static FedPods of(ClusterGenerator cluster) {
        return new FedPods(cluster, AS_THEY_ARE, false);
    }

    /**
     * The same pods, each with a unique label that no selector uses, like the pod-name label of a StatefulSet's pods.
     */
    static FedPods withOwnLabels(ClusterGenerator cluster) {
        return new FedPods(cluster, AS_THEY_ARE, true);
    }

    /** The same pods, each padded to about {@code most} bytes with containers, which the server ignores. */
    FedPods ofSize(int most) {
        return new FedPods(cluster, most, labelled);
    }

    ClusterGenerator cluster() {
        return cluster;
    }

    /** The number of pods. */
    int count() {
        return cluster.shape().pods();
    }

    /** The pod with that number, from 0. */
    Pod pod(int number) {
        Pod pod = cluster.pod(number);
        return Replicas.ofSize(labelled ? Replicas.withOwnLabel(pod) : pod, bytes);
    }
}
