package io.evenkeel.loadtest.cluster;

/**
 * Divides the pods of a generated cluster among its workloads. All are in one namespace, except those of mixed sizes:
 * this affects times, because kube-scheduler's plugin skips pods of other namespaces without reading their labels.
 */
public enum WorkloadSizes {
    /** Workloads of 10 to 2,000 pods, most of them small, in twenty namespaces. */
    MIXED(0),
    MANY(500),
    THOUSANDS(2_000),
    SMALL(25),
    /** Workloads of 30 pods per node. */
    BIG(0);

    private final int pods;

    WorkloadSizes(int pods) {
        this.pods = pods;
    }

    /** The number of pods of the next workload in a cluster with {@code nodes} nodes; at least 1. */
    int next(Dice dice, int nodes) {
        return switch (this) {
            case MIXED -> (int) (10 * Math.pow(200, dice.fraction()));
            case BIG -> (int) Math.min(30L * nodes, Integer.MAX_VALUE);
            case MANY, THOUSANDS, SMALL -> pods;
        };
    }

    int namespaces() {
        return this == MIXED ? 20 : 1;
    }
}
