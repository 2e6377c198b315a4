package io.evenkeel.engine;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the answer about one pod rests on, at one revision.
 *
 * @param revision the engine's
 * @param names the node table that indexes refer to
 * @param unknownCandidates named candidates that the cluster does not have
 * @param constraints those in force, in the pod's order, hard and soft
 * @param fromDefaults whether they are cluster-level defaults
 * @param verdicts one for each candidate: passed first, by score, then by name
 * @param causes how many candidates each cause was the first to take out
 * @param wasPlaced whether the pod that was to be thought away counted somewhere
 */
public record Explanation(
        long revision,
        NodeNames names,
        List<String> unknownCandidates,
        List<ConstraintState> constraints,
        boolean fromDefaults,
        List<Verdict> verdicts,
        SortedMap<Cause, Integer> causes,
        boolean wasPlaced) {

    /**
     * What takes a node out: a rule, and for spread the constraint that it is of.
     *
     * @param constraint the constraint's place in the pod's list (or among the defaults), or -1 for the rules before spread
     */
    public record Cause(Reason reason, int constraint) implements Comparable<Cause> {
        @Override
        public int compareTo(Cause other) {
            int byConstraint = Integer.compare(constraint, other.constraint);
            return byConstraint != 0 ? byConstraint : reason.compareTo(other.reason);
        }
    }

    /** The verdict on one candidate; {@code cause} is null where it passed. */
    public record Verdict(String node, int index, @Nullable Cause cause, int score) {
        public boolean passed() {
            return cause == null;
        }
    }

    /**
     * One constraint and its domains.
     *
     * @param index its place in the pod's list, or among the defaults
     * @param selector the effective selector; null matches nothing
     * @param selfMatch 1 where the pod itself matches it, else 0
     * @param minimum the global minimum; 0 where fewer domains are eligible than minDomains
     * @param belowMinDomains whether it is 0 for that reason
     * @param criticalPaths eligible domains whose count is the least of all
     * @param carriers nodes that carry the topology key
     * @param domains emptiest first; where there are more than were asked for, the emptiest and the fullest
     * @param leastMaxSkew the least maxSkew with which this constraint would admit the pod on a candidate that every other rule admits; 0 where it does already or
     *     where there is no such candidate
     * @param weight soft constraints: ln(domains among the nodes considered + 2); 0 for hard ones
     */
    public record ConstraintState(
            int index,
            SpreadConstraint source,
            @Nullable LabelSelector selector,
            int selfMatch,
            int minimum,
            boolean belowMinDomains,
            int eligibleDomains,
            int eligibleNodes,
            int criticalPaths,
            int carriers,
            List<DomainState> domains,
            int totalDomains,
            long leastMaxSkew,
            double weight) {}

    /**
     * One domain of a constraint.
     *
     * @param value the label's value, or the node's name where each node is a domain
     * @param matchingPods on its eligible nodes
     * @param skewAfterPlacement matching pods + self match − global minimum
     * @param nodes its nodes, eligible or not
     * @param passed its candidates that passed every rule
     * @param shutOutBy how many of its candidates each cause was the first to take out
     */
    public record DomainState(
            String value,
            int matchingPods,
            boolean eligible,
            boolean criticalPath,
            long skewAfterPlacement,
            boolean wouldDo,
            int nodes,
            int eligibleNodes,
            int passed,
            SortedMap<Cause, Integer> shutOutBy) {}
}
