package io.evenkeel.engine.cluster;

import io.evenkeel.engine.memory.NodeBits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of nodes given by a question: slots at one revision of one engine's node table, and the names that no node has
 * at that revision. Immutable.
 */
public final class ResolvedNodes {
    private final NodeSlots nodes;
    private final long revision;
    private final long[] slots;
    private final List<String> unknown;

    private ResolvedNodes(NodeSlots nodes, long revision, long[] slots, List<String> unknown) {
        this.nodes = nodes;
        this.revision = revision;
        this.slots = slots;
        this.unknown = List.copyOf(unknown);
    }

    static ResolvedNodes ofNames(NodeSlots nodes, List<String> names) {
        long[] slots = new long[NodeBits.words(nodes.capacity())];
        List<String> unknown = new ArrayList<>();
        find(nodes, names, slots, unknown);
        return new ResolvedNodes(nodes, nodes.revision(), slots, unknown);
    }

    /**
     * The nodes that had these slots at {@code revision}.
     *
     * @throws UnknownNodeTableException if that revision is too old, or never existed
     * @throws EmptySlotException if a slot had no node
     */
    static ResolvedNodes ofSlots(NodeSlots nodes, long revision, long[] slots) {
        return new ResolvedNodes(nodes, revision, slots, List.of()).now();
    }

    private static void find(NodeSlots nodes, List<String> names, long[] slots, List<String> unknown) {
        for (String name : names) {
            int slot = nodes.slotOfName(name);
            if (slot == NodeSlots.NONE) {
                unknown.add(name);
            } else {
                NodeBits.set(slots, slot);
            }
        }
    }

    /**
     * The nodes with the same names at the current revision of the table. A node that has another slot now is found by
     * its name.
     *
     * @throws UnknownNodeTableException if this revision is too old, or never existed
     * @throws EmptySlotException if a slot had no node
     */
    ResolvedNodes now() {
        NodeMoves moves = nodes.moves();
        if (!isRecent() || revision > moves.revision()) {
            throw new UnknownNodeTableException(revision, moves.oldest(), moves.revision());
        }
        long[] all = slotsOfNow();
        List<String> names = new ArrayList<>(unknown);
        for (long move = revision; move < moves.revision(); move++) {
            int slot = moves.slot(move);
            // Only the first move of a slot shows which node had it at this revision.
            if (NodeBits.get(all, slot)) {
                NodeBits.clear(all, slot);
                names.add(nameOf(slot, moves.nameBefore(move)));
            }
        }
        requireNodes(all);
        List<String> gone = new ArrayList<>();
        find(nodes, names, all, gone);
        return new ResolvedNodes(nodes, nodes.revision(), all, gone);
    }

    /** The slots, in as many words as the table has now; a table never shrinks. */
    private long[] slotsOfNow() {
        int words = NodeBits.words(nodes.capacity());
        if (slots.length > words) {
            // Only slots named by a caller can be that many. Then the last word has a slot.
            requireNone(slots[slots.length - 1], slots.length - 1);
        }
        return Arrays.copyOf(slots, words);
    }

    private static String nameOf(int slot, @Nullable String name) {
        if (name == null) {
            throw new EmptySlotException(slot);
        }
        return name;
    }

    private void requireNodes(long[] chosen) {
        long[] known = nodes.known();
        for (int w = 0; w < chosen.length; w++) {
            requireNone(chosen[w] & ~known[w], w);
        }
    }

    private static void requireNone(long empty, int word) {
        if (empty != 0) {
            throw new EmptySlotException(word * Long.SIZE + Long.numberOfTrailingZeros(empty));
        }
    }

    /** Compares the table as well as its revision, because tables of two engines may have the same revision. */
    boolean isOf(NodeSlots table) {
        return nodes == table && revision == table.revision();
    }

    /** Whether every move of a slot since then is known. */
    boolean isRecent() {
        return revision >= nodes.moves().oldest();
    }

    /** Whether these are nodes of that table, at any revision. */
    boolean isFrom(NodeSlots table) {
        return nodes == table;
    }

    public long[] slots() {
        return slots;
    }

    public List<String> unknown() {
        return unknown;
    }
}
