package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.List;

/** A term of a required node affinity: its expressions are ANDed; a term without any matches no node. */
public record NodeTerm(List<NodeRequirement> matchExpressions, List<NodeRequirement> matchFields) {
    public NodeTerm {
        matchExpressions = List.copyOf(matchExpressions);
        matchFields = List.copyOf(matchFields);
    }

    /** Keyed: these are what maps look for, and callers choose them. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(matchExpressions, matchFields);
    }
}
