package io.evenkeel.engine;

import org.jspecify.annotations.Nullable;

/** The node table at one revision: which node an index means. Immutable. */
public final class NodeNames {
    private final long revision;
    private final @Nullable String[] names;

    NodeNames(NodeTable nodes) {
        revision = nodes.revision();
        names = new String[nodes.limit()];
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
}
