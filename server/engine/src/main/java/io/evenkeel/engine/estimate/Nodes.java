package io.evenkeel.engine.estimate;

/**
 * The existing nodes, numbered from 0. Arrays are not copied, and must not change afterwards.
 *
 * <p>Every limit of a node is a resource: a pod takes 1 of its pod slots. A host port is a resource of which a node has
 * 1, or 0 if the port is taken. A port that pods request on single addresses is one resource for each address, and one
 * more, of which a node has as many as there are addresses: a pod on one address takes 1 of it, and a pod on all
 * addresses takes all of it.
 */
public final class Nodes {
    final int count;
    final long[] free;
    final int[][] domains;

    /**
     * @param free what each node has left, node by node: {@code count} times the number of resources; may be negative
     * @param domains for each topology key, each node's domain, from 0; {@link NodeTemplate#NO_DOMAIN} without the
     *     label
     */
    public Nodes(int count, long[] free, int[][] domains) {
        this.count = count;
        this.free = free;
        this.domains = domains;
        for (int[] ofKey : domains) {
            if (ofKey.length != count) {
                throw new IllegalArgumentException(
                        "domains must have one entry per node, had " + ofKey.length + " for " + count + " nodes");
            }
        }
    }
}
