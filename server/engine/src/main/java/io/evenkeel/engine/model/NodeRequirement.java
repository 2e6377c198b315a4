package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.List;

/**
 * One expression of a node selector term, as it came: the operator is a string because a term that cannot be parsed is
 * not refused, it merely matches no node.
 */
public record NodeRequirement(String key, String operator, List<String> values) {
    public NodeRequirement {
        values = List.copyOf(values);
    }

    /** Keyed: these are what maps look for, and callers choose them. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(key, operator, values);
    }
}
