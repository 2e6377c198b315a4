package io.evenkeel.engine.index;

import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.model.NodeTerm;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The key by which equal node affinities share one predicate. Some affinities have thousands of values and are looked
 * up under the lock, so the hash is computed once, before that.
 */
public final class AffinityKey implements ConditionKey {
    public static final AffinityKey NONE = new AffinityKey(Map.of(), null);

    final Map<String, String> nodeSelector;
    final @Nullable List<NodeTerm> terms;

    /** Keyed, because callers choose these values and maps use them as keys. */
    private final int hash;

    public AffinityKey(Map<String, String> nodeSelector, @Nullable List<NodeTerm> terms) {
        this.nodeSelector = nodeSelector;
        this.terms = terms;
        this.hash = KeyedHash.ofAll(nodeSelector, terms);
    }

    /** Whether every node matches, because there is neither a selector nor an affinity. */
    public boolean isTrivial() {
        return AffinityMatcher.isTrivial(nodeSelector, terms);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof AffinityKey key
                        && hash == key.hash
                        && nodeSelector.equals(key.nodeSelector)
                        && Objects.equals(terms, key.terms);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return nodeSelector + (terms == null ? "" : " " + terms);
    }
}
