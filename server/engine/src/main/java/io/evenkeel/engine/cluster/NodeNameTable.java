package io.evenkeel.engine.cluster;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The node table at one revision: which node an index means. Immutable. */
public final class NodeNameTable {
    private final long revision;
    private final @Nullable String[] names;

    /**
     * Filled as they are asked for. Whoever comes first, they are the same; set with release, or another thread could
     * find an array whose bytes are not there yet.
     */
    private final AtomicReferenceArray<byte @Nullable []> encoded;

    public NodeNameTable(NodeTable nodes) {
        revision = nodes.revision();
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

    /** The node of an index, or null where there is none now. */
    public @Nullable String name(int index) {
        return index < names.length ? names[index] : null;
    }

    /** The same in UTF-8; not to be changed. */
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
}
