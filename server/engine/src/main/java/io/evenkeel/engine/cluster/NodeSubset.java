package io.evenkeel.engine.cluster;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that a question asks about. An instance with names or slots remembers the slots of these nodes and follows
 * their moves, so a choice that is asked about again should be one instance. Safe for use by several threads.
 */
public final class NodeSubset {
    /** All nodes. */
    public static final NodeSubset ALL = new NodeSubset(List.of(), null);

    /** Slots at a revision of the node table. */
    private static final class SlotsThen {
        final long revision;
        final long[] slots;
        final int count;

        SlotsThen(long revision, long[] slots) {
            this.revision = revision;
            this.slots = slots;
            count = Arrays.stream(slots).mapToInt(Long::bitCount).sum();
        }
    }

    private final List<String> names;
    private final @Nullable SlotsThen then;
    private volatile @Nullable ResolvedNodes resolved;

    private NodeSubset(List<String> names, @Nullable SlotsThen then) {
        this.names = names;
        this.then = then;
    }

    /** The nodes with these names. A name given twice counts once; an unknown name is reported in the answer. */
    public static NodeSubset named(Collection<String> names) {
        return new NodeSubset(names.stream().distinct().toList(), null);
    }

    /**
     * The nodes that had these slots when the engine's node table was at {@code revision}. Nodes that have been removed
     * since are reported by name in the answer. A question throws {@link UnknownNodeTableException} if there have been
     * more moves since than are remembered, and {@link EmptySlotException} if a slot had no node.
     *
     * @param slots as in {@link io.evenkeel.engine.memory.NodeBits}
     */
    public static NodeSubset ofSlots(long revision, long[] slots) {
        int used = slots.length;
        // Trailing words without a slot would be read under the lock for nothing.
        while (used > 0 && slots[used - 1] == 0) {
            used--;
        }
        return new NodeSubset(List.of(), new SlotsThen(revision, Arrays.copyOf(slots, used)));
    }

    /** The names, without repetition; empty if these are not named candidates. */
    public List<String> names() {
        return names;
    }

    /**
     * An upper bound on the number of these nodes in a cluster of {@code nodes}: the number of names or slots, if the
     * candidates were given.
     */
    public int most(int nodes) {
        if (isEvery()) {
            return nodes;
        }
        return Math.min(nodes, then == null ? names.size() : then.count);
    }

    /** Whether the candidates come from all nodes of the cluster rather than from a given set. */
    public boolean isEvery() {
        return this == ALL;
    }

    /** The candidates' slots now. Called under the engine's lock. */
    public ResolvedNodes resolve(NodeSlots nodes) {
        ResolvedNodes known = resolved;
        if (known != null && known.isOf(nodes)) {
            return known;
        }
        ResolvedNodes fresh = resolve(known, nodes);
        resolved = fresh;
        return fresh;
    }

    /**
     * Begins with the last result if possible: it takes fewer look-ups than all names, and the table may have moved too
     * far since the revision of the slots.
     */
    private ResolvedNodes resolve(@Nullable ResolvedNodes known, NodeSlots nodes) {
        if (known != null && known.isFrom(nodes) && (then != null || known.isRecent())) {
            return known.now();
        }
        return then == null
                ? ResolvedNodes.ofNames(nodes, names)
                : ResolvedNodes.ofSlots(nodes, then.revision, then.slots);
    }
}
