package io.evenkeel.engine.cluster;

import org.jspecify.annotations.Nullable;

/**
 * The latest moves of slots. A move gives a slot to a node, or frees it. Moves show how two revisions of a node table
 * differ.
 *
 * <pre>
 *   move r       slot, name of the node that had it before (null if it was free)     in cell r & MASK of a ring
 *   revision r   the table before move r: moves r, r + 1, …, revision - 1 turn it into the current table
 * </pre>
 *
 * The last {@value #ROOM} moves are kept.
 */
final class NodeMoves {
    /** A power of two. */
    static final int ROOM = 4_096;

    private static final int MASK = ROOM - 1;

    private final int[] slots = new int[ROOM];
    private final @Nullable String[] namesBefore = new String[ROOM];
    private final long first;
    private long revision;

    /** @param first the revision of the table from which on moves are known */
    NodeMoves(long first) {
        this.first = first;
        this.revision = first;
    }

    /** @param nameBefore the name of the node that had the slot until now; null if it was free */
    void add(int slot, @Nullable String nameBefore) {
        int cell = cell(revision);
        slots[cell] = slot;
        namesBefore[cell] = nameBefore;
        revision++;
    }

    /** The revision of the table now. */
    long revision() {
        return revision;
    }

    /** The earliest revision since which every move is known. */
    long oldest() {
        return Math.max(first, revision - ROOM);
    }

    /** The slot of move {@code move}, which is at least {@link #oldest} and below {@link #revision}. */
    int slot(long move) {
        return slots[cell(move)];
    }

    /** The name of the node that had the slot before a move; null if it was free. */
    @Nullable
    String nameBefore(long move) {
        return namesBefore[cell(move)];
    }

    /** The slots of the moves from {@link #oldest} on, in order. */
    int[] latestSlots() {
        int[] latest = new int[(int) (revision - oldest())];
        int begin = cell(oldest());
        int upToEnd = Math.min(latest.length, ROOM - begin);
        System.arraycopy(slots, begin, latest, 0, upToEnd);
        System.arraycopy(slots, 0, latest, upToEnd, latest.length - upToEnd);
        return latest;
    }

    private static int cell(long move) {
        return (int) move & MASK;
    }
}
