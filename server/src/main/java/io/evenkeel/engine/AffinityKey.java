package io.evenkeel.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What makes two node affinities one. */
record AffinityKey(
        Map<String, String> nodeSelector, @Nullable List<NodeSelectorTerm> terms) {
    static final AffinityKey NONE = new AffinityKey(Map.of(), null);

    /** Keyed: these are what maps look for, and callers choose them. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(nodeSelector, terms);
    }
}
