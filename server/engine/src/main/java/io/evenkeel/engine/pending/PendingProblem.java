package io.evenkeel.engine.pending;

import io.evenkeel.engine.estimate.Problem;
import java.util.BitSet;
import java.util.List;

/**
 * A problem, and what its numbers mean.
 *
 * @param nodes the names of the existing nodes, by number
 * @param sets the sets of nodes that were asked about
 * @param constraints the hard constraints of each entry of pending pods
 */
public record PendingProblem(
        Problem problem, List<String> nodes, List<BitSet> sets, List<List<Constraint>> constraints) {
    /**
     * A hard constraint.
     *
     * @param index its position in the pod's list, or among the defaults
     * @param label its topology key
     * @param members for each domain, a node in it; the domains of new nodes that are their own come after these
     */
    public record Constraint(int index, String label, List<String> members) {}
}
