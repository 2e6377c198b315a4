package io.evenkeel.engine.cluster;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The names of the nodes by slot, which is the node index in answers, at one revision of the node table; and which
 * slots moved before. Immutable.
 */
public final class NodeNameTable {
    private final long revision;
    private final @Nullable Name[] names;

    /** Slots that moved, in order: the last one moved just before this revision. A slot may be there several times. */
    private final int[] moved;

    /** Made when first asked for. Two threads may make it, with equal results. */
    private volatile int @Nullable [] byName;

    /** A name, which the tables of several revisions share. */
    private static final class Name {
        final String text;

        /** In UTF-8, made when first asked for. Two threads may make it, with equal results. */
        volatile byte @Nullable [] encoded;

        Name(String text) {
            this.text = text;
        }
    }

    public NodeNameTable(NodeSlots nodes) {
        this(nodes, new Name[nodes.limit()]);
        for (int slot = 0; slot < names.length; slot++) {
            names[slot] = nameNow(nodes, slot);
        }
    }

    private NodeNameTable(NodeSlots nodes, @Nullable Name[] names) {
        this.names = names;
        revision = nodes.revision();
        moved = nodes.moves().latestSlots();
    }

    private static @Nullable Name nameNow(NodeSlots nodes, int slot) {
        return nodes.isKnown(slot) ? new Name(nodes.attributes(slot).name()) : null;
    }

    /** The names now, in the same table of nodes. Only slots that moved since this revision are read. */
    public NodeNameTable now(NodeSlots nodes) {
        NodeMoves moves = nodes.moves();
        if (revision < moves.oldest()) {
            return new NodeNameTable(nodes);
        }
        @Nullable Name[] next = Arrays.copyOf(names, nodes.limit());
        for (long move = revision; move < moves.revision(); move++) {
            int slot = moves.slot(move);
            if (slot < next.length) {
                next[slot] = nameNow(nodes, slot);
            }
        }
        return new NodeNameTable(nodes, next);
    }

    /** The node table revision. */
    public long revision() {
        return revision;
    }

    /** Indexes are below this. */
    public int limit() {
        return names.length;
    }

    /** The name of the node with an index, or null if there is no such node. */
    public @Nullable String name(int index) {
        Name name = index < names.length ? names[index] : null;
        return name == null ? null : name.text;
    }

    /** The same name in UTF-8. The array must not be changed. */
    public byte @Nullable [] encodedName(int index) {
        Name name = index < names.length ? names[index] : null;
        if (name == null) {
            return null;
        }
        byte[] bytes = name.encoded;
        if (bytes == null) {
            bytes = name.text.getBytes(StandardCharsets.UTF_8);
            name.encoded = bytes;
        }
        return bytes;
    }

    /** The indexes of all nodes, in the byte order of their names. The array must not be changed. */
    public int[] byName() {
        int[] known = byName;
        if (known == null) {
            known = IntStream.range(0, names.length)
                    .filter(index -> names[index] != null)
                    .boxed()
                    .sorted(Comparator.comparing(this::encodedName, Arrays::compareUnsigned))
                    .mapToInt(Integer::intValue)
                    .toArray();
            byName = known;
        }
        return known;
    }

    /** Whether every move since an earlier revision of the node table is known. */
    public boolean knowsSince(long earlier) {
        return earlier <= revision && earlier >= revision - moved.length;
    }

    /**
     * The slot that a move gave to a node or freed. If {@link #knowsSince}, there is a move for each revision from
     * {@code earlier} to {@link #revision} - 1.
     */
    public int movedIndex(long move) {
        return moved[moved.length - (int) (revision - move)];
    }

    /**
     * The indexes that may have another name here than in the table of an earlier revision, in ascending order; null if
     * that is not known. Any other index has the same name in both tables, or none.
     */
    public int @Nullable [] changesSince(long earlier) {
        if (!knowsSince(earlier)) {
            return null;
        }
        return Arrays.stream(moved, moved.length - (int) (revision - earlier), moved.length)
                .sorted()
                .distinct()
                .toArray();
    }
}
