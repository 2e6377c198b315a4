package io.evenkeel.loadtest.cluster;

/**
 * The parameters of a generated cluster. Equal shapes generate equal clusters.
 *
 * @param seed selects one of the clusters that agree in all other parameters
 * @param nodes at least 1
 * @param pods the number of bound pods, at least 0
 * @param zones from 1 to {@code nodes}; each zone is in one region
 * @param regions from 1 to {@code zones}
 * @param sizes how the pods are divided among workloads
 */
public record ClusterShape(long seed, int nodes, int pods, int zones, int regions, WorkloadSizes sizes) {
    public ClusterShape {
        check(nodes >= 1, "nodes must be at least 1, was " + nodes);
        check(pods >= 0, "pods must not be negative, was " + pods);
        check(zones >= 1 && zones <= nodes, "zones must be from 1 to the nodes, was " + zones);
        check(regions >= 1 && regions <= zones, "regions must be from 1 to the zones, was " + regions);
    }

    /** Three zones in one region, and workloads of many sizes. */
    public static ClusterShape of(long seed, int nodes, int pods) {
        return new ClusterShape(seed, nodes, pods, Math.min(3, nodes), 1, WorkloadSizes.MIXED);
    }

    /** The same shape with its pods divided among workloads as {@code shares} says. */
    public ClusterShape withSizes(WorkloadSizes shares) {
        return new ClusterShape(seed, nodes, pods, zones, regions, shares);
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
