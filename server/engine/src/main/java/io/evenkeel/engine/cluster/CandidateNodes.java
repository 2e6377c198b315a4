package io.evenkeel.engine.cluster;

import io.evenkeel.engine.memory.NodeBits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes are judged. Named candidates keep the slots that they resolve to until the node table moves, so reuse an
 * instance for a set that is asked about again. Safe for use by several threads.
 */
public final class CandidateNodes {
    /** Every node. */
    public static final CandidateNodes ALL = new CandidateNodes(List.of());

    /**
     * The nodes that kube-scheduler's NodeUnschedulable, TaintToleration and NodeAffinity filters let the pod enter;
     * the others count as taken out by these.
     */
    public static final CandidateNodes ENTERABLE = new CandidateNodes(List.of());

    /** What the names mean at one revision of one engine's node table. */
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

        /** Two engines' tables may be at the same revision, and mean other nodes by it. */
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

    /** The nodes of these names; a name given twice counts once, an unknown one is reported in the answer. */
    public static CandidateNodes named(Collection<String> names) {
        return new CandidateNodes(names.stream().distinct().toList());
    }

    /** The names, without repetition; empty for {@link #ALL} and {@link #ENTERABLE}. */
    public List<String> names() {
        return names;
    }

    /** Whether the candidates are the nodes of the cluster, whatever they are called. */
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
