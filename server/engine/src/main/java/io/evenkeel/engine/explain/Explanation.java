package io.evenkeel.engine.explain;

import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadConstraint;
import java.util.Comparator;
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
 * @param fromDefaults whether cluster-level defaults apply; without constraints where no owner gives them a selector
 * @param verdicts one for each candidate: passed first, by score, then by name
 * @param causes how many candidates each cause was the first to take out
 * @param conflicts sets of hard constraints, by index, each of which alone admits a candidate that the rules before
 *     spread let in, though no such candidate suits them all: pairs, or the whole set where no pair is at odds
 * @param labelKeys the label keys that nodes carry and how many nodes carry each; empty unless no node carries some
 *     topology key or label of the nodeSelector
 * @param absentLabels the labels of the pod's nodeSelector that no node carries
 * @param wasPlaced whether the pod that was to be thought away counted somewhere
 */
public record Explanation(
        long revision,
        NodeNameTable names,
        List<String> unknownCandidates,
        List<ConstraintState> constraints,
        boolean fromDefaults,
        List<Verdict> verdicts,
        SortedMap<Cause, Integer> causes,
        List<List<Integer>> conflicts,
        SortedMap<String, Integer> labelKeys,
        List<AbsentLabel> absentLabels,
        boolean wasPlaced) {

    /** How many candidates passed every rule. */
    public int passed() {
        return (int) verdicts.stream().filter(Verdict::passed).count();
    }

    /** How many candidates the rules before spread let in. */
    public int entered() {
        return (int) verdicts.stream().filter(Verdict::entered).count();
    }

    /**
     * What takes a node out: a rule, and for spread the constraint that it is of.
     *
     * @param constraint the constraint's place in the pod's list (or among the defaults), or -1 for the rules before
     *     spread
     * @param taint the first taint that the pod does not tolerate, where the rule is of taints; else null
     */
    public record Cause(
            Reason reason, int constraint, @Nullable NodeTaint taint) implements Comparable<Cause> {
        private static final Comparator<Cause> ORDER = Comparator.comparingInt(Cause::constraint)
                .thenComparing(Cause::reason)
                .thenComparing(cause -> String.valueOf(cause.taint));

        static Cause before(Reason reason) {
            return new Cause(reason, -1, null);
        }

        static Cause of(NodeTaint taint) {
            return new Cause(Reason.UNTOLERATED_TAINT, -1, taint);
        }

        public static Cause of(Reason reason, int constraint) {
            return new Cause(reason, constraint, null);
        }

        /** Whether a spread constraint is the cause. */
        public boolean isSpread() {
            return constraint >= 0;
        }

        @Override
        public int compareTo(Cause other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * The verdict on one candidate.
     *
     * @param cause null where it passed
     * @param domains where it stands in each of the constraints in force, in their order
     */
    public record Verdict(String node, int index, @Nullable Cause cause, int score, List<DomainCount> domains) {
        public boolean passed() {
            return cause == null;
        }

        /** Whether the rules before spread let the pod in. */
        public boolean entered() {
            return cause == null || cause.isSpread();
        }
    }

    /**
     * The domain of a node for one constraint.
     *
     * @param domain the label's value; null where the node lacks the topology key
     * @param matchingPods as {@link DomainState#matchingPods}
     */
    public record DomainCount(@Nullable String domain, int matchingPods) {
        static final DomainCount NOWHERE = new DomainCount(null, 0);
    }

    /**
     * A label of the pod's nodeSelector that no node carries, and the values that nodes do have for its key, in order;
     * at most {@value #MAX_VALUES}.
     */
    public record AbsentLabel(String key, String value, List<String> values) {
        static final int MAX_VALUES = 10;
    }

    /**
     * One constraint and its domains.
     *
     * @param index its place in the pod's list, or among the defaults
     * @param selector the effective selector; null matches nothing
     * @param selfMatch 1 where the pod itself matches it, else 0
     * @param minimum the global minimum; 0 where fewer domains are eligible than minDomains
     * @param belowMinDomains whether fewer domains are eligible than minDomains, or none is
     * @param criticalPaths eligible domains whose count is the least of all
     * @param carriers nodes that carry the topology key
     * @param enteredCarriers candidates that carry it and that the rules before spread let in
     * @param admitted candidates that the rules before spread let in and that this constraint alone, where it is hard,
     *     would admit
     * @param domains eligible ones first, emptiest first; where there are more than were asked for, the emptiest and
     *     the fullest
     * @param totalDomains domains of known nodes, eligible or not
     * @param leastMaxSkew the least maxSkew with which this constraint would admit the pod on a candidate that every
     *     other rule admits; 0 where it does already or where there is no such candidate
     * @param weight soft constraints: ln(domains among the nodes considered + 2); 0 for hard ones
     */
    public record ConstraintState(
            int index,
            SpreadConstraint source,
            @Nullable PodSelector selector,
            int selfMatch,
            int minimum,
            boolean belowMinDomains,
            int eligibleDomains,
            int eligibleNodes,
            int criticalPaths,
            int carriers,
            int enteredCarriers,
            int admitted,
            List<DomainState> domains,
            int totalDomains,
            long leastMaxSkew,
            double weight) {}

    /**
     * One domain of a constraint.
     *
     * @param value the label's value, or the node's name where each node is a domain
     * @param matchingPods on its eligible nodes
     * @param criticalPath whether it is eligible and no eligible domain holds fewer
     * @param skewAfterPlacement matching pods + self match − global minimum
     * @param wouldDo whether that is within maxSkew
     * @param nodes its nodes, eligible or not
     * @param passed its candidates that passed every rule
     * @param shutOutBy how many of its candidates each cause was the first to take out
     * @param ineligibleBy how many of its nodes each cause is the first to make not eligible: a topology key of the
     *     constraint named that is missing, the pod's affinity or a taint where these are honoured
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
            SortedMap<Cause, Integer> shutOutBy,
            SortedMap<Cause, Integer> ineligibleBy) {}
}
