package io.evenkeel.engine.skew;

import java.util.List;

/**
 * How the pods of a workload are spread.
 *
 * @param pods its pods that are neither terminating nor finished
 * @param pending how many of these are on no known node
 */
public record WorkloadCounts(WorkloadName name, int pods, int pending, List<Template> templates) {
    /**
     * Pods that have the same revision, and constraints that count the same.
     *
     * @param revision empty if there is none
     * @param fromDefaults whether the constraints are default constraints
     * @param error why the constraints are not known; otherwise empty
     */
    public record Template(
            String revision,
            int pods,
            int pending,
            boolean fromDefaults,
            List<ConstraintCounts> constraints,
            String error) {}
}
