package io.evenkeel.engine.explain;

import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.StoredPod;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the answer about one pod depends on, at one revision.
 *
 * @param revision the engine's revision
 * @param versions how current the state of each kind of object is
 * @param names the node table that indexes refer to
 * @param unknownCandidates named candidates that the cluster does not have
 * @param constraints the constraints in force, hard and soft, in the pod's order
 * @param fromDefaults whether default constraints apply; there are no constraints if no owner gives them a selector
 * @param verdicts one for each candidate: passed first, by score, then by name
 * @param causes for each cause, how many candidates it is the first to exclude
 * @param conflicts sets of hard constraints, by index, that exclude each other: each alone admits a candidate that
 *     passes the rules before the constraints, but no such candidate satisfies all; these are pairs, or the whole set
 *     if no pair conflicts
 * @param labelKeys the label keys of nodes, and how many nodes have each; empty unless no node has some topology key or
 *     label of the nodeSelector
 * @param absentLabels the labels of the pod's nodeSelector that no node has
 * @param wasPlaced whether the overlay removes a pod that counted somewhere
 * @param unknownPods the pods that the overlay refers to and that the cluster does not have
 * @param podsWithoutRequests for the rules FITTING, how many pods on nodes were given without their containers
 * @param nodesWithoutAllocatable for the rules FITTING, how many nodes were given without allocatable resources
 */
public record Explanation(
        long revision,
        KindVersions versions,
        NodeNameTable names,
        List<String> unknownCandidates,
        List<ConstraintState> constraints,
        boolean fromDefaults,
        List<Verdict> verdicts,
        SortedMap<Cause, Integer> causes,
        List<List<Integer>> conflicts,
        SortedMap<String, Integer> labelKeys,
        List<AbsentLabel> absentLabels,
        boolean wasPlaced,
        List<PodKey> unknownPods,
        int podsWithoutRequests,
        int nodesWithoutAllocatable) {

    /** How many candidates passed every rule. */
    public int passed() {
        return (int) verdicts.stream().filter(Verdict::passed).count();
    }

    /** How many candidates pass the rules before the constraints. */
    public int entered() {
        return (int) verdicts.stream().filter(Verdict::entered).count();
    }

    /**
     * The cause that excludes a node: a rule and, if the rule is a constraint, which one.
     *
     * @param constraint the position of the constraint in the pod's list or among the defaults; -1 for the rules before
     *     the constraints
     * @param taint the first taint that the pod does not tolerate, if the rule is about taints; otherwise null
     * @param messages kube-scheduler's messages
     */
    public record Cause(
            Reason reason, int constraint, @Nullable NodeTaint taint, List<String> messages)
            implements Comparable<Cause> {
        private static final Comparator<Cause> ORDER = Comparator.comparingInt(Cause::constraint)
                .thenComparing(Cause::reason)
                .thenComparing(cause -> String.valueOf(cause.taint))
                .thenComparing(cause -> String.valueOf(cause.messages));

        static Cause before(Reason reason) {
            return of(reason, -1);
        }

        static Cause of(NodeTaint taint) {
            return new Cause(Reason.UNTOLERATED_TAINT, -1, taint, List.of(Reason.UNTOLERATED_TAINT.text()));
        }

        public static Cause of(Reason reason, int constraint) {
            return new Cause(reason, constraint, null, List.of(reason.text()));
        }

        static Cause of(Reason reason, List<String> shortages) {
            return new Cause(reason, -1, null, shortages);
        }

        /** Whether a constraint is the cause. */
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
     * @param cause null if it passed
     * @param domains its domain in each of the constraints in force, in their order
     * @param shortages what it lacks, if that is the cause; otherwise empty
     */
    public record Verdict(
            String node,
            int index,
            @Nullable Cause cause,
            int score,
            List<DomainCount> domains,
            List<Shortage> shortages) {
        public boolean passed() {
            return cause == null;
        }

        /** Whether the node passes the rules before the constraints. */
        public boolean entered() {
            return cause == null || cause.isSpread();
        }
    }

    /**
     * A resource of which a node has less free than the pod asks for: "pods", or one of the pod's requests, in the
     * units of {@link PodRequests}.
     *
     * @param free negative if the node is overfull
     */
    public record Shortage(String resource, long requested, long free, long allocatable) {}

    /**
     * The domain of a node for one constraint.
     *
     * @param domain the label's value; null if the node does not have the topology key
     * @param matchingPods see {@link DomainState#matchingPods}
     */
    public record DomainCount(@Nullable String domain, int matchingPods) {
        static final DomainCount NOWHERE = new DomainCount(null, 0);
    }

    /**
     * A label of the pod's nodeSelector that no node has, and the values that nodes have for its key, in order; at most
     * {@value #MAX_VALUES}.
     */
    public record AbsentLabel(String key, String value, List<String> values) {
        static final int MAX_VALUES = 10;
    }

    /**
     * One constraint and its domains.
     *
     * @param index its position in the pod's list, or among the defaults
     * @param selector the effective selector; null matches no pod
     * @param selfMatch 1 if the pod itself matches it, otherwise 0
     * @param minimum the global minimum; 0 if fewer domains are eligible than minDomains
     * @param belowMinDomains whether fewer than minDomains domains are eligible, or none
     * @param criticalPaths how many eligible domains have the lowest count
     * @param carriers how many nodes have the topology key
     * @param enteredCarriers how many candidates have it and pass the rules before the constraints
     * @param admitted how many of the candidates that pass the rules before the constraints this constraint alone would
     *     admit; all, if it is soft
     * @param domains the domains, eligible ones first and among these the emptiest first; if there are more than were
     *     asked for, the emptiest and the fullest
     * @param totalDomains how many domains of known nodes there are, eligible or not
     * @param leastMaxSkew the lowest maxSkew with which this constraint would admit the pod on a candidate that all
     *     other rules admit; 0 if it admits one already, or if there is no such candidate
     * @param weight for soft constraints ln(domains among the nodes considered + 2); 0 for hard ones
     * @param counted whose pods are counted; null if finding out takes too long
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
            double weight,
            @Nullable Counted counted) {}

    /**
     * The pods that a constraint counts in eligible domains.
     *
     * @param groups the pods of the cluster
     * @param added how many the overlay adds
     */
    public record Counted(List<PodsAlike> groups, int added) {}

    /**
     * Counted pods with the same controller and revision, and the same values of the labels that the selector refers
     * to.
     *
     * @param example one of them
     * @param likeIncoming whether they have all labels of the incoming pod except that of its revision
     * @param pods how many they are
     */
    public record PodsAlike(StoredPod example, boolean likeIncoming, int pods) {}

    /**
     * One domain of a constraint.
     *
     * @param value the label's value, or the node's name if each node is its own domain
     * @param matchingPods the number of matching pods on its eligible nodes
     * @param criticalPath whether it is eligible and no eligible domain has a lower count
     * @param skewAfterPlacement matching pods + self match − global minimum
     * @param wouldDo whether that is within maxSkew
     * @param nodes how many nodes it has, eligible or not
     * @param passed how many of its candidates passed every rule
     * @param excludedBy for each cause, how many of its candidates it is the first to exclude
     * @param ineligibleBy for each cause, how many of its nodes it is the first to make not eligible: a missing
     *     topology key of the named constraint, or the pod's affinity or a taint if these are honoured
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
            SortedMap<Cause, Integer> excludedBy,
            SortedMap<Cause, Integer> ineligibleBy) {}
}
