package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.List;

/**
 * One expression of a node selector term, as the caller wrote it. The operator is a string, because a term that cannot
 * be parsed is not rejected: it only matches no node.
 */
public record NodeRequirement(String key, String operator, List<String> values) {
    public NodeRequirement {
        values = List.copyOf(values);
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(key, operator, values);
    }
}
