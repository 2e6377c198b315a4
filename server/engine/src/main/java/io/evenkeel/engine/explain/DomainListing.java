package io.evenkeel.engine.explain;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.plan.PlannedConstraint;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lists the domains of one constraint, with the causes that exclude their nodes. */
final class DomainListing {
    private final StateForExplanation state;
    private final Answer answer;
    private final ExclusionCauses causes;
    private final Explanation.@Nullable Cause[] causeOfSlot;
    private final PlannedConstraint constraint;
    private final EligibleDomains eligible;
    private final Topology topology;
    private final @Nullable SpreadGroup group;

    /** @param causeOfSlot the cause that excludes each candidate; null if it passed */
    DomainListing(
            StateForExplanation state,
            ExclusionCauses causes,
            Explanation.@Nullable Cause[] causeOfSlot,
            PlannedConstraint constraint) {
        this.state = state;
        this.answer = state.answer;
        this.causes = causes;
        this.causeOfSlot = causeOfSlot;
        this.constraint = constraint;
        eligible = constraint.domains();
        topology = eligible.topology;
        group = constraint.group();
    }

    /** The figures of a domain, collected from its nodes. */
    private static final class Gathered {
        final int id;
        final String value;
        final int count;
        final int eligibleNodes;
        int nodes;
        int passed;
        final SortedMap<Explanation.Cause, Integer> excludedBy = new TreeMap<>();
        final SortedMap<Explanation.Cause, Integer> ineligibleBy = new TreeMap<>();

        Gathered(int id, String value, int count, int eligibleNodes) {
            this.id = id;
            this.value = value;
            this.count = count;
            this.eligibleNodes = eligibleNodes;
        }
    }

    /**
     * The domains: eligible ones first, and among these the emptiest first.
     *
     * @param most how many are listed at most; if there are more, the emptiest and the fullest of the eligible ones
     */
    List<Explanation.DomainState> emptiestFirst(int most) {
        List<Gathered> listed = listed(most);
        Gathered[] ofDomain = new Gathered[topology.domainLimit()];
        listed.forEach(domain -> ofDomain[domain.id] = domain);
        for (int slot = 0; slot < answer.names().limit(); slot++) {
            int domain = topology.domainOf(slot);
            if (domain != Topology.NONE && ofDomain[domain] != null) {
                gather(ofDomain[domain], slot);
            }
        }
        return listed.stream().map(this::state).toList();
    }

    private List<Gathered> listed(int most) {
        int[] memberOf = new int[topology.domainLimit()];
        Arrays.fill(memberOf, Topology.NONE);
        for (int slot = 0; slot < answer.names().limit(); slot++) {
            int domain = topology.domainOf(slot);
            if (domain != Topology.NONE) {
                memberOf[domain] = slot;
            }
        }
        List<Gathered> all = IntStream.range(0, memberOf.length)
                .filter(domain -> memberOf[domain] != Topology.NONE)
                .mapToObj(domain -> new Gathered(
                        domain,
                        Objects.requireNonNull(state.valueAt(topology, memberOf[domain])),
                        group == null ? 0 : group.counts().get(domain),
                        eligible.nodesIn(domain)))
                .sorted(Comparator.<Gathered, Boolean>comparing(domain -> domain.eligibleNodes == 0)
                        .thenComparingInt(domain -> domain.count)
                        .thenComparing(domain -> domain.value))
                .toList();
        if (all.size() <= most) {
            return all;
        }
        int fullest = eligible.domains() <= most ? 0 : most / 2;
        return Stream.concat(
                        all.subList(0, most - fullest).stream(),
                        all.subList(eligible.domains() - fullest, eligible.domains()).stream())
                .toList();
    }

    private void gather(Gathered domain, int slot) {
        domain.nodes++;
        if (answer.isCandidate(slot)) {
            Explanation.Cause cause = causeOfSlot[slot];
            if (cause == null) {
                domain.passed++;
            } else {
                domain.excludedBy.merge(cause, 1, Integer::sum);
            }
        }
        Explanation.Cause ineligibility = causes.ofIneligibility(constraint, slot);
        if (ineligibility != null) {
            domain.ineligibleBy.merge(ineligibility, 1, Integer::sum);
        }
    }

    private Explanation.DomainState state(Gathered domain) {
        boolean isEligible = domain.eligibleNodes > 0;
        long skew = constraint.skew(domain.count);
        return new Explanation.DomainState(
                domain.value,
                domain.count,
                isEligible,
                isEligible && domain.count == constraint.leastCount(),
                skew,
                domain.count <= constraint.limit(),
                domain.nodes,
                domain.eligibleNodes,
                domain.passed,
                domain.excludedBy,
                domain.ineligibleBy);
    }
}
