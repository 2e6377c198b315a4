package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A topology spread constraint of an incoming pod, after validation.
 *
 * @param maxSkew at least 1
 * @param hard DoNotSchedule, which decides Filter; otherwise ScheduleAnyway, which decides Score
 * @param selector null matches no pod, not even the incoming pod
 * @param matchLabelKeys keys of the incoming pod whose values narrow the selector
 * @param minDomains at least 1, or 0 if the constraint does not set it (which means the same as 1)
 * @param honorAffinity nodeAffinityPolicy; Honor is its default
 * @param honorTaints nodeTaintsPolicy; Ignore is its default
 */
public record SpreadConstraint(
        int maxSkew,
        String topologyKey,
        boolean hard,
        @Nullable PodSelector selector,
        List<String> matchLabelKeys,
        int minDomains,
        boolean honorAffinity,
        boolean honorTaints) {
    public SpreadConstraint {
        matchLabelKeys = List.copyOf(matchLabelKeys);
    }

    /** A soft default constraint of kube-scheduler. It has no selector yet, and its policies are the defaults. */
    static SpreadConstraint systemDefault(String topologyKey, int maxSkew) {
        return new SpreadConstraint(maxSkew, topologyKey, false, null, List.of(), 0, true, false);
    }

    /** The same constraint, with a maxSkew that no skew exceeds: it only excludes nodes without the topology key. */
    public SpreadConstraint withoutLimit() {
        return new SpreadConstraint(
                Integer.MAX_VALUE, topologyKey, hard, selector, matchLabelKeys, minDomains, honorAffinity, honorTaints);
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(
                maxSkew, topologyKey, hard, selector, matchLabelKeys, minDomains, honorAffinity, honorTaints);
    }
}
