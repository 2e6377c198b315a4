package io.evenkeel.loadtest.cluster;

import io.evenkeel.v1.NodeSpec;
import org.jspecify.annotations.Nullable;

/** A group of nodes with the same machine type and taints. */
enum Pool {
    GENERAL("general", "m7.2xlarge", 82, null, ""),
    COMPUTE("compute", "c7.4xlarge", 8, null, ""),
    BATCH("batch", "m7.4xlarge", 5, "dedicated", "batch"),
    GPU("gpu", "g6.xlarge", 4, "nvidia.com/gpu", "present"),
    /** Nodes that are being drained. */
    CORDONED("general", "m7.2xlarge", 1, "node.kubernetes.io/unschedulable", "");

    final String label;
    final String instanceType;
    private final int percent;
    private final @Nullable String taintKey;
    private final String taintValue;

    /** @param taintKey the key of a taint with the effect NoSchedule; null for no taint */
    Pool(String label, String instanceType, int percent, @Nullable String taintKey, String taintValue) {
        this.label = label;
        this.instanceType = instanceType;
        this.percent = percent;
        this.taintKey = taintKey;
        this.taintValue = taintValue;
    }

    /** Draws the pool of a node. */
    static Pool drawn(Dice dice) {
        int left = dice.below(100);
        for (Pool pool : values()) {
            left -= pool.percent;
            if (left < 0) {
                return pool;
            }
        }
        throw new AssertionError("the pools make up less than 100 percent");
    }

    NodeSpec nodeSpec() {
        NodeSpec.Builder spec = NodeSpec.newBuilder().setUnschedulable(this == CORDONED);
        if (taintKey != null) {
            spec.addTaintsBuilder().setKey(taintKey).setValue(taintValue).setEffect("NoSchedule");
        }
        return spec.build();
    }
}
