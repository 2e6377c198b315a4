package io.evenkeel.engine.cluster;

import io.evenkeel.engine.memory.NodeBits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that a question asks about. An instance with names remembers the slots of these nodes until the node table
 * changes, so a set that is asked about again should be one instance. Safe for use by several threads.
 */
public final class CandidateNodes {
    /** All nodes. */
    public static final CandidateNodes ALL = new CandidateNodes(List.of());

    /**
     * The nodes that the pod may enter by kube-scheduler's filters NodeUnschedulable, TaintToleration and NodeAffinity.
     * The other nodes count as excluded by these filters.
     */
    public static final CandidateNodes ENTERABLE = new CandidateNodes(List.of());

    /** The slots of the named nodes, at one revision of one engine's node table. */
    public static final class Resolved {
        private final NodeTable nodes;
        private final long nodeTableRevision;
        private final long[] slots;
        private final List<String> unknown;

        Resolved(NodeTable nodes, long[] slots, List<String> unknown) {
            this.nodes = nodes;
            this.nodeTableRevision = nodes.revision();
            this.slots = slots;
            this.unknown = List.copyOf(unknown);
        }

        /**
         * Compares the table as well as its revision: tables of two engines may have the same revision and different
         * nodes.
         */
        boolean isOf(NodeTable table) {
            return nodes == table && nodeTableRevision == table.revision();
        }

        public long[] slots() {
            return slots;
        }

        public List<String> unknown() {
            return unknown;
        }
    }

    private final List<String> names;
    private volatile @Nullable Resolved resolved;

    private CandidateNodes(List<String> names) {
        this.names = names;
    }

    /** The nodes with these names. A name given twice counts once; an unknown name is reported in the answer. */
    public static CandidateNodes named(Collection<String> names) {
        return new CandidateNodes(names.stream().distinct().toList());
    }

    /** The names, without repetition; empty for {@link #ALL} and {@link #ENTERABLE}. */
    public List<String> names() {
        return names;
    }

    /** Whether the candidates are taken from all nodes of the cluster, not from a list of names. */
    public boolean isEvery() {
        return this == ALL || this == ENTERABLE;
    }

    public Resolved resolve(NodeTable nodes) {
        Resolved known = resolved;
        if (known != null && known.isOf(nodes)) {
            return known;
        }
        long[] slots = new long[NodeBits.words(nodes.capacity())];
        List<String> unknown = new ArrayList<>();
        for (String name : names) {
            int slot = nodes.slotOfName(name);
            if (slot == NodeTable.NONE) {
                unknown.add(name);
            } else {
                NodeBits.set(slots, slot);
            }
        }
        Resolved fresh = new Resolved(nodes, slots, unknown);
        resolved = fresh;
        return fresh;
    }
}
