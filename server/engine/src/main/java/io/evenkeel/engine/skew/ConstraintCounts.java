package io.evenkeel.engine.skew;

import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the pods that a constraint counts are spread.
 *
 * @param index its position among the constraints of the pods
 * @param source null if there is no constraint, and the pods of one workload are counted
 * @param selector the effective selector; null matches no pod
 * @param minimum the global minimum
 * @param maximum the highest count of an eligible domain
 * @param excess how many pods are above minimum + maxSkew in all eligible domains together
 * @param domains how many domains are eligible
 * @param own how many of the counted pods are of the workload itself
 * @param others how many are not
 * @param listed the eligible domains, the fullest first and then by value; empty unless they were asked for
 */
public record ConstraintCounts(
        int index,
        @Nullable SpreadConstraint source,
        String topologyKey,
        @Nullable PodSelector selector,
        int minimum,
        int maximum,
        long excess,
        int domains,
        int own,
        int others,
        List<Domain> listed) {
    /** A domain and its count. */
    public record Domain(String value, int pods) {}

    /** The highest count, minus the global minimum. */
    public int skew() {
        return maximum - minimum;
    }

    /** Whether the skew is above the constraint's maxSkew. */
    public boolean isViolated() {
        return source != null && skew() > source.maxSkew();
    }
}
