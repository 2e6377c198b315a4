package io.evenkeel.loadtest.cluster;

import io.evenkeel.v1.Pod;
import java.util.List;
import java.util.Locale;

/**
 * The kinds of incoming pods that measurements ask about, by their constraints. A pod can be a replica of any workload.
 * Shapes without explicit constraints use kube-scheduler's System defaults.
 */
public enum IncomingShape {
    HARD_ZONE(Spread.HARD_ZONE),
    HARD_ZONE_HARD_HOSTNAME(Spread.HARD_ZONE_HARD_HOSTNAME),
    SOFT_ZONE_SOFT_HOSTNAME(Spread.SOFT_ZONE_SOFT_HOSTNAME),
    HARD_ZONE_SOFT_HOSTNAME(Spread.HARD_ZONE_SOFT_HOSTNAME),
    FIVE_CONSTRAINTS(Spread.FIVE_CONSTRAINTS),

    /** No constraints. The defaults apply, with a selector from the workload's Service and ReplicaSet. */
    DEFAULTS_WITH_OWNER(Spread.NONE) {
        @Override
        public String words() {
            return "none, defaults, owner";
        }
    },

    /** No constraints, and a pod that does not belong to the workload. No owner selects it, so no defaults apply. */
    DEFAULTS_WITHOUT_OWNER(Spread.NONE) {
        @Override
        public String words() {
            return "none, defaults, no owner";
        }

        @Override
        public Pod of(Workload workload) {
            return workload.strangerPod();
        }
    };

    private final Spread spread;

    IncomingShape(Spread spread) {
        this.spread = spread;
    }

    /** The shape as text for a table. */
    public String words() {
        return spread.words();
    }

    /** A new, unbound replica of {@code workload} with this shape. Each call returns an equal pod. */
    public Pod of(Workload workload) {
        return workload.incomingPod(spread);
    }

    /** The workloads whose pods have this shape, or all workloads if there are none. */
    public List<Workload> workloads(ClusterGenerator cluster) {
        List<Workload> alike = cluster.workloads().stream()
                .filter(workload -> workload.spread() == spread)
                .toList();
        return alike.isEmpty() ? cluster.workloads() : alike;
    }

    /**
     * A new replica of the first workload whose pods have this shape, or of the very first workload if there is none.
     */
    public Pod in(ClusterGenerator cluster) {
        if (cluster.workloads().isEmpty()) {
            throw new IllegalArgumentException(
                    "pods must be at least 1, was 0: an incoming pod is a replica of a workload");
        }
        return of(workloads(cluster).get(0));
    }

    /** Its name for options. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
