package io.evenkeel.loadtest.cluster;

/** How the pods of a generated cluster are shared out among its workloads. */
public enum WorkloadSizes {
    /** From 10 to 2,000 pods each, small ones being the most; in twenty namespaces. */
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

    /** Workloads of 30 pods a node. */
    BIG {
        @Override
        int next(Dice dice, int nodes) {
            return (int) Math.min(30L * nodes, Integer.MAX_VALUE);
        }
    };

    /** The pods of one more workload in a cluster of that many nodes; at least 1. */
    abstract int next(Dice dice, int nodes);

    /**
     * How many namespaces the workloads are in. kube-scheduler's plugin passes over pods of other namespaces without a
     * look at their labels.
     */
    int namespaces() {
        return 1;
    }
}
