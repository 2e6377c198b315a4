package io.evenkeel.loadtest.cluster;

/** Divides the pods of a generated cluster among its workloads. */
public enum WorkloadSizes {
    /** Workloads of 10 to 2,000 pods, most of them small, in twenty namespaces. */
    MIXED {
        @Override
        int next(Dice dice, int nodes) {
            return (int) (10 * Math.pow(200, dice.fraction()));
        }

        @Override
        int namespaces() {
            return 20;
        }
    },

    /** Equal workloads of 500 pods, all in one namespace. */
    MANY {
        @Override
        int next(Dice dice, int nodes) {
            return 500;
        }
    },

    /** Equal workloads of 2,000 pods, all in one namespace. */
    THOUSANDS {
        @Override
        int next(Dice dice, int nodes) {
            return 2_000;
        }
    },

    /** Equal workloads of 25 pods, all in one namespace. */
    SMALL {
        @Override
        int next(Dice dice, int nodes) {
            return 25;
        }
    },

    /** Workloads of 30 pods per node. */
    BIG {
        @Override
        int next(Dice dice, int nodes) {
            return (int) Math.min(30L * nodes, Integer.MAX_VALUE);
        }
    };

    /** The number of pods of the next workload in a cluster with {@code nodes} nodes; at least 1. */
    abstract int next(Dice dice, int nodes);

    /**
     * The number of namespaces. It affects times because kube-scheduler's plugin skips pods of other namespaces without
     * reading their labels.
     */
    int namespaces() {
        return 1;
    }
}
