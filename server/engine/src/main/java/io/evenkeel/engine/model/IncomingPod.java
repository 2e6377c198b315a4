package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an answer depends on of a pod that is to be placed. Two pods that are equal here get equal answers.
 *
 * @param affinityTerms the required node affinity's terms, ORed (none of an empty list matches); null where the pod has
 *     no required node affinity
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
        // Not Map.copyOf: its maps search cell after cell among keys of equal String.hashCode, which callers can
        // choose.
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

    /** About how many bytes of heap it takes. */
    public long bytes() {
        return Footprint.of(this);
    }

    /** Keyed: these are what maps look for, and callers choose them. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(namespace, labels, nodeSelector, affinityTerms, tolerations, constraints, controller);
    }
}
