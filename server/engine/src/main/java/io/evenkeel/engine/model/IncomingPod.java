package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod that is to be placed, reduced to the fields that its answer depends on. Two incoming pods that are equal get
 * equal answers.
 *
 * @param affinityTerms the terms of the required node affinity, ORed (an empty list matches no node); null where the
 *     pod has no required node affinity
 * @param controller null where no owner reference is the controller
 */
public record IncomingPod(
        String namespace,
        Map<String, String> labels,
        Map<String, String> nodeSelector,
        @Nullable List<NodeTerm> affinityTerms,
        List<TaintToleration> tolerations,
        List<SpreadConstraint> constraints,
        @Nullable ControllerRef controller) {
    public IncomingPod {
        // Not Map.copyOf: callers can choose keys of equal String.hashCode, and its maps then search one cell after
        // another.
        labels = Collections.unmodifiableMap(new HashMap<>(labels));
        nodeSelector = Collections.unmodifiableMap(new HashMap<>(nodeSelector));
        affinityTerms = affinityTerms == null ? null : List.copyOf(affinityTerms);
        tolerations = List.copyOf(tolerations);
        constraints = List.copyOf(constraints);
    }

    /** The same pod with other constraints. */
    public IncomingPod withConstraints(List<SpreadConstraint> others) {
        return new IncomingPod(namespace, labels, nodeSelector, affinityTerms, tolerations, others, controller);
    }

    /** Roughly how many bytes of heap it takes. */
    public long bytes() {
        return Footprint.of(this);
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(namespace, labels, nodeSelector, affinityTerms, tolerations, constraints, controller);
    }
}
