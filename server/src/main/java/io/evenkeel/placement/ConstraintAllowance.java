package io.evenkeel.placement;

import org.jspecify.annotations.Nullable;

/** What one query may still ask for: constraints in all, and constraints of pods whose plans have to be compiled. Not safe for use by several threads. */
final class ConstraintAllowance {
    private final Limits limits;
    private final String field;
    private long constraints;
    private long fresh;

    /** @param field of the request, that holds the pods */
    ConstraintAllowance(Limits limits, String field) {
        this.limits = limits;
        this.field = field;
    }

    /**
     * Counts a pod.
     *
     * @throws RequestException where the request asks for too much as a whole
     */
    void count(PodPlans.Wanted pod) {
        constraints += pod.constraints();
        if (constraints > limits.constraints()) {
            throw RequestException.overLimit(
                    field,
                    "must have at most " + limits.constraints()
                            + " topologySpreadConstraints together, had more: ask about fewer pods at once");
        }
    }

    /** Takes room for a plan that has to be compiled; an error where there is none left. */
    @Nullable
    RequestException takeNew(PodPlans.Wanted pod) {
        if (fresh + pod.constraints() > limits.newConstraints()) {
            return RequestException.overLimit(
                    "spec.topologySpreadConstraints",
                    "must be at most " + limits.newConstraints()
                            + " over those pods of a request whose like was not asked about before, were more: ask about"
                            + " this pod again");
        }
        fresh += pod.constraints();
        return null;
    }
}
