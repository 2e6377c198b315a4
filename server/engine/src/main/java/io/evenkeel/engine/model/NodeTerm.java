package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.List;

/** A term of a node affinity. Its expressions are ANDed; a term without expressions matches no node. */
public record NodeTerm(List<NodeRequirement> matchExpressions, List<NodeRequirement> matchFields) {
    public NodeTerm {
        matchExpressions = List.copyOf(matchExpressions);
        matchFields = List.copyOf(matchFields);
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(matchExpressions, matchFields);
    }
}
