package io.evenkeel.engine.cluster;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The names of the nodes by slot, which is the node index in answers, at one revision of the node table. Immutable. */
public final class NodeNameTable {
    private final long revision;
    private final @Nullable String[] names;

    /**
     * Names in UTF-8, made when they are first asked for. Two threads may make the same name, with equal results. They
     * are set with release: otherwise another thread could see an array before its bytes.
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

    /** The name of the node with an index, or null where there is no such node. */
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
}
