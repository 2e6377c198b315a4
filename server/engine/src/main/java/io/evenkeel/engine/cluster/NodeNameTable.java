package io.evenkeel.engine.cluster;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The names of the nodes by slot, which is the node index in answers, at one revision of the node table; and which
 * slots moved before. Immutable.
 */
public final class NodeNameTable {
    private final long revision;
    private final @Nullable String[] names;

    /** Slots that moved, in order: the last one moved just before this revision. A slot may be there several times. */
    private final int[] moved;

    /**
     * Names in UTF-8, made when they are first asked for. Two threads may make the same name, with equal results. They
     * are set with release: otherwise another thread could see an array before its bytes.
     */
    private final AtomicReferenceArray<byte @Nullable []> encoded;

    public NodeNameTable(NodeSlots nodes) {
        revision = nodes.revision();
        moved = nodes.moves().latestSlots();
        names = new String[nodes.limit()];
        encoded = new AtomicReferenceArray<>(nodes.limit());
        for (int slot = 0; slot < names.length; slot++) {
            if (nodes.isKnown(slot)) {
                names[slot] = nodes.attributes(slot).name();
            }
        }
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
        return index < names.length ? names[index] : null;
    }

    /** The same name in UTF-8. The array must not be changed. */
    public byte @Nullable [] encodedName(int index) {
        String name = name(index);
        if (name == null) {
            return null;
        }
        byte[] bytes = encoded.getAcquire(index);
        if (bytes == null) {
            bytes = name.getBytes(StandardCharsets.UTF_8);
            encoded.setRelease(index, bytes);
        }
        return bytes;
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
