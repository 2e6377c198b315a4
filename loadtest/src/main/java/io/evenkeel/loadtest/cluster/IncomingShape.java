package io.evenkeel.loadtest.cluster;

import io.evenkeel.v1.Pod;

/**
 * The pods that measurements place: what one asks for, whichever workload it is one more replica of. Those without
 * constraints of their own are for kube-scheduler's System defaults.
 */
public enum IncomingShape {
    HARD_ZONE(Spread.HARD_ZONE),
    HARD_ZONE_HARD_HOSTNAME(Spread.HARD_ZONE_HARD_HOSTNAME),
    SOFT_ZONE_SOFT_HOSTNAME(Spread.SOFT_ZONE_SOFT_HOSTNAME),
    HARD_ZONE_SOFT_HOSTNAME(Spread.HARD_ZONE_SOFT_HOSTNAME),
    FIVE_CONSTRAINTS(Spread.FIVE_CONSTRAINTS),

    /** No constraints; the defaults apply, with a selector from the workload's Service and ReplicaSet. */
    DEFAULTS_WITH_OWNER(Spread.NONE) {
        @Override
        public String words() {
            return "none, defaults, owner";
        }
    },

    /**
     * No constraints, in the workload's namespace but not of the workload; nothing selects it, so that the defaults
     * don't apply.
     */
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

    /** In words, for a table. */
    public String words() {
        return spread.words();
    }

    /** One more replica of {@code workload} that asks in this way; bound to no node. Each call gives an equal pod. */
    public Pod of(Workload workload) {
        return workload.incomingPod(spread);
    }

    /** One more replica of the first workload of the cluster whose pods ask in this way, else of the first of all. */
    public Pod in(ClusterGenerator cluster) {
        if (cluster.workloads().isEmpty()) {
            throw new IllegalArgumentException(
                    "pods must be at least 1, was 0: an incoming pod is one more of a workload");
        }
        return of(cluster.workloads().stream()
                .filter(workload -> workload.spread() == spread)
                .findFirst()
                .orElse(cluster.workloads().get(0)));
    }
}
