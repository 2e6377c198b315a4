package io.evenkeel.engine.simulation;

import io.evenkeel.engine.cluster.NodeNameTable;
import java.util.Arrays;

/** The nodes on which pods were placed. */
public final class Schedule {
    private final long revision;
    private final NodeNameTable names;
    private final int[] placed;
    private final int[] nodes;

    /**
     * @param placed for each of {@link ScheduledPods}, how many of them were placed
     * @param nodes the index of the node of each placed pod, in order
     */
    Schedule(long revision, NodeNameTable names, int[] placed, int[] nodes) {
        this.revision = revision;
        this.names = names;
        this.placed = placed;
        this.nodes = nodes;
    }

    /** The engine's revision after the last pod was placed. */
    public long revision() {
        return revision;
    }

    /** The node table that indexes refer to. */
    public NodeNameTable names() {
        return names;
    }

    /**
     * How many pods of an item were placed. These are the first ones, because once there is no node for one, there is
     * none for the others either.
     */
    public int placed(int item) {
        return placed[item];
    }

    /** How many pods were placed in all. */
    public int placed() {
        return nodes.length;
    }

    /** The indexes of the nodes of the placed pods, in the order in which they were placed. */
    public int[] nodes() {
        return Arrays.copyOf(nodes, nodes.length);
    }
}
