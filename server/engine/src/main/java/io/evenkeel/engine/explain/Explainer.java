package io.evenkeel.engine.explain;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.DomainWeights;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.overlay.OverlaidPods;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the explanation of an answer: the figures and causes for each constraint, domain and node. Needs no lock,
 * because it reads only copies.
 */
final class Explainer {
    /** The stop signal is checked once per this many nodes. */
    private static final int NODES_A_LOOK = 1_024;

    private final StateForExplanation state;
    private final PodPlan plan;
    private final Answer answer;
    private final LabelSurvey labels;
    private final int maxDomains;
    private final StopSignal stop;
    private final int words;
    private final ExclusionCauses causes;
    /** The cause that excludes each candidate; null if it passed or is not a candidate. */
    private final Explanation.@Nullable Cause[] causeOfSlot;

    /** The candidates that pass the rules before the constraints. */
    private final long[] entered;

    /** For each hard constraint: the nodes of {@link #entered} that it alone admits. */
    private final long[][] admitted;

    /** @param state the state, whose texts were requested by {@link #needTexts} and read */
    Explainer(StateForExplanation state, LabelSurvey labels, int maxDomains, StopSignal stop) {
        this.state = state;
        this.labels = labels;
        this.plan = state.plan;
        this.answer = state.answer;
        this.maxDomains = maxDomains;
        this.stop = stop;
        words = NodeBits.words(answer.names().limit());
        causes = new ExclusionCauses(state);
        causeOfSlot = new Explanation.Cause[words * 64];
        entered = new long[words];
        admitted = new long[plan.hard.length][words];
    }

    /** Requests the texts that an explanation shows from {@code state}. */
    static void needTexts(StateForExplanation state) {
        Stream.of(state.plan.hard, state.plan.soft)
                .flatMap(Arrays::stream)
                .map(constraint -> constraint.domains().topology)
                .distinct()
                .forEach(state::needValues);
    }

    /** Explains the answer to a question with the overlay {@code overlaid}. */
    Explanation explain(OverlaidPods overlaid) {
        SortedMap<Explanation.Cause, Integer> nodesOfCause = new TreeMap<>();
        candidates().forEach(slot -> {
            Explanation.Cause cause = causes.ofTakingOut(slot);
            causeOfSlot[slot] = cause;
            if (cause != null) {
                nodesOfCause.merge(cause, 1, Integer::sum);
            }
            if (cause == null || cause.isSpread()) {
                enter(slot);
            }
        });
        List<PlannedConstraint> constraints = Stream.of(plan.hard, plan.soft)
                .flatMap(Arrays::stream)
                .sorted(Comparator.comparingInt(PlannedConstraint::index))
                .toList();
        return new Explanation(
                answer.revision(),
                answer.versions(),
                answer.names(),
                answer.unknownCandidates(),
                constraints.stream().map(this::explain).toList(),
                plan.fromDefaults,
                verdicts(constraints),
                nodesOfCause,
                conflicts(),
                labels.keysIfNeeded(),
                labels.absent(),
                overlaid.takesOff(),
                overlaid.unknown(),
                answer.podsWithoutRequests(),
                answer.nodesWithoutAllocatable());
    }

    private IntStream candidates() {
        return IntStream.range(0, answer.names().limit()).filter(slot -> {
            if (slot % NODES_A_LOOK == 0) {
                stop.check();
            }
            return answer.isCandidate(slot);
        });
    }

    private void enter(int slot) {
        NodeBits.set(entered, slot);
        for (int i = 0; i < plan.hard.length; i++) {
            if (plan.hard[i].failure(slot) == null) {
                NodeBits.set(admitted[i], slot);
            }
        }
    }

    private List<Explanation.Verdict> verdicts(List<PlannedConstraint> constraints) {
        List<NodeDomains> domains = constraints.stream()
                .map(constraint -> new NodeDomains(state, constraint))
                .toList();
        return candidates()
                .mapToObj(slot -> new Explanation.Verdict(
                        state.node(slot).name(),
                        slot,
                        causeOfSlot[slot],
                        answer.score(slot),
                        domains.stream().map(each -> each.of(slot)).toList(),
                        causes.shortages(slot)))
                .sorted(Comparator.comparing(Explanation.Verdict::passed)
                        .thenComparingInt(Explanation.Verdict::score)
                        .reversed()
                        .thenComparing(Explanation.Verdict::node))
                .toList();
    }

    private Explanation.ConstraintState explain(PlannedConstraint constraint) {
        stop.check();
        EligibleDomains eligible = constraint.domains();
        SpreadGroup group = constraint.group();
        SpreadConstraint source = constraint.source();
        long[] carriers = constraint.label().carriers();
        long[] enteredCarriers = entered.clone();
        NodeBits.and(enteredCarriers, carriers, 0, words);
        return new Explanation.ConstraintState(
                constraint.index(),
                source,
                constraint.selector(),
                constraint.self(),
                constraint.minimum(),
                constraint.isBelowMinDomains(),
                eligible.domains(),
                eligible.eligibility.nodes(),
                group == null ? eligible.domains() : group.histogram().domainsAt(constraint.leastCount()),
                NodeBits.cardinality(carriers, carriers.length),
                NodeBits.cardinality(enteredCarriers, words),
                NodeBits.cardinality(source.hard() ? admitted[placeOf(constraint)] : entered, words),
                new DomainListing(state, causes, causeOfSlot, constraint).emptiestFirst(maxDomains),
                eligible.topology.domains(),
                source.hard() ? leastMaxSkew(constraint) : 0,
                source.hard() ? 0 : new DomainWeights().weight(state.weighedDomains[constraint.index()]),
                state.counted.get(constraint.index()));
    }

    private int placeOf(PlannedConstraint constraint) {
        return Arrays.asList(plan.hard).indexOf(constraint);
    }

    private long leastMaxSkew(PlannedConstraint constraint) {
        int place = placeOf(constraint);
        long[] open = entered.clone();
        NodeBits.and(open, constraint.label().carriers(), 0, words);
        for (int i = 0; i < admitted.length; i++) {
            if (i != place) {
                NodeBits.and(open, admitted[i], 0, words);
            }
        }
        long least = candidates()
                .filter(slot -> NodeBits.get(open, slot))
                .mapToLong(slot -> constraint.skew(constraint.count(slot)))
                .min()
                .orElse(0);
        return least <= constraint.source().maxSkew() ? 0 : least;
    }

    private List<List<Integer>> conflicts() {
        List<Integer> satisfiable = IntStream.range(0, admitted.length)
                .filter(i -> NodeBits.cardinality(admitted[i], words) > 0)
                .boxed()
                .toList();
        List<List<Integer>> conflicts = new ArrayList<>();
        long[] all = entered.clone();
        for (int i : satisfiable) {
            NodeBits.and(all, admitted[i], 0, words);
            for (int j : satisfiable) {
                if (i < j && !NodeBits.intersects(admitted[i], admitted[j], words)) {
                    conflicts.add(List.of(plan.hard[i].index(), plan.hard[j].index()));
                }
            }
        }
        if (conflicts.isEmpty() && satisfiable.size() > 1 && NodeBits.cardinality(all, words) == 0) {
            conflicts.add(satisfiable.stream().map(i -> plan.hard[i].index()).toList());
        }
        return List.copyOf(conflicts);
    }
}
