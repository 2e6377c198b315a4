package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.List;

/**
 * A required term of a pod's anti-affinity: no pod that it matches may be in the same domain. Immutable.
 *
 * @param namespaces the namespaces of the pods that it matches; empty if it may match pods of every namespace
 */
public record AntiAffinityTerm(String topologyKey, List<String> namespaces, PodSelector selector) {
    public AntiAffinityTerm {
        namespaces = List.copyOf(namespaces);
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(topologyKey, namespaces, selector);
    }
}
