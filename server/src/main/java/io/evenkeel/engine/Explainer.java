package io.evenkeel.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes down why an answer came out as it did; node by node, for people. Used under the engine's lock, after the answer was worked out under the same. */
final class Explainer {
    private final ClusterStore store;
    private final PodPlan plan;
    private final Answer answer;
    private final int maxDomains;
    private final Map<Integer, Explanation.Cause> causeOfSlot = new HashMap<>();

    /** @param answer the evaluation of the plan over the candidates to be explained */
    Explainer(ClusterStore store, PodPlan plan, Answer answer, int maxDomains) {
        this.store = store;
        this.plan = plan;
        this.answer = answer;
        this.maxDomains = maxDomains;
    }

    Explanation explain(boolean wasPlaced) {
        candidates().forEach(slot -> {
            Explanation.Cause cause = cause(slot);
            if (cause != null) {
                causeOfSlot.put(slot, cause);
            }
        });
        SortedMap<Explanation.Cause, Integer> causes = new TreeMap<>();
        causeOfSlot.values().forEach(cause -> causes.merge(cause, 1, Integer::sum));
        List<Explanation.ConstraintState> constraints = Stream.of(plan.hard, plan.soft)
                .flatMap(Arrays::stream)
                .sorted(Comparator.comparingInt(PlannedConstraint::index))
                .map(this::explain)
                .toList();
        return new Explanation(
                answer.revision(),
                answer.names(),
                answer.unknownCandidates(),
                constraints,
                plan.fromDefaults,
                verdicts(),
                causes,
                wasPlaced);
    }

    private IntStream candidates() {
        return IntStream.range(0, answer.names().limit()).filter(answer::isCandidate);
    }

    private List<Explanation.Verdict> verdicts() {
        return candidates()
                .mapToObj(slot -> new Explanation.Verdict(
                        store.nodes.attributes(slot).name(), slot, causeOfSlot.get(slot), answer.score(slot)))
                .sorted(Comparator.comparing(Explanation.Verdict::passed)
                        .thenComparingInt(Explanation.Verdict::score)
                        .reversed()
                        .thenComparing(Explanation.Verdict::node))
                .toList();
    }

    private Explanation.@Nullable Cause cause(int slot) {
        Reason reason = answer.reason(slot);
        if (reason == null) {
            return null;
        }
        if (reason != Reason.MISSING_LABEL && reason != Reason.SKEW) {
            return new Explanation.Cause(reason, -1);
        }
        for (PlannedConstraint constraint : plan.hard) {
            Reason of = failure(constraint, slot);
            if (of != null) {
                return new Explanation.Cause(of, constraint.index());
            }
        }
        throw new IllegalStateException("slot " + slot + " was taken out by no constraint");
    }

    /** Why one constraint keeps the pod off a node; null where it does not. */
    private static @Nullable Reason failure(PlannedConstraint constraint, int slot) {
        if (!NodeBits.get(constraint.label().carriers(), slot)) {
            return Reason.MISSING_LABEL;
        }
        return constraint.count(slot) > constraint.limit() ? Reason.SKEW : null;
    }

    private Explanation.ConstraintState explain(PlannedConstraint constraint) {
        EligibleDomains eligible = constraint.domains();
        SpreadGroup group = constraint.group();
        SpreadConstraint source = constraint.source();
        int minimum = constraint.minimum();
        int least = group == null ? 0 : group.histogram().minimum();
        int words = answer.words();
        long[] considered = answer.passed().clone();
        if (plan.ignoresIncompleteNodes) {
            for (PlannedConstraint soft : plan.soft) {
                NodeBits.and(considered, soft.label().carriers(), words);
            }
        }
        long[] carriers = constraint.label().carriers();
        return new Explanation.ConstraintState(
                constraint.index(),
                source,
                constraint.selector(),
                constraint.self(),
                minimum,
                eligible.domains() < Math.max(1, source.minDomains()),
                eligible.domains(),
                eligible.eligibility.nodes(),
                group == null ? eligible.domains() : group.histogram().domainsAt(least),
                NodeBits.cardinality(carriers, carriers.length),
                domains(constraint, minimum, least),
                eligible.topology.domains(),
                source.hard() ? leastMaxSkew(constraint, minimum) : 0,
                source.hard() ? 0 : ScorePass.weight(constraint, considered, words));
    }

    private long leastMaxSkew(PlannedConstraint constraint, int minimum) {
        long least = Long.MAX_VALUE;
        for (int slot : candidates().toArray()) {
            Explanation.Cause cause = causeOfSlot.get(slot);
            boolean entered = cause == null || cause.constraint() >= 0;
            if (entered && NodeBits.get(constraint.label().carriers(), slot) && othersAdmit(constraint, slot)) {
                least = Math.min(least, (long) constraint.count(slot) + constraint.self() - minimum);
            }
        }
        return least == Long.MAX_VALUE || least <= constraint.source().maxSkew() ? 0 : least;
    }

    private boolean othersAdmit(PlannedConstraint constraint, int slot) {
        for (PlannedConstraint other : plan.hard) {
            if (other.index() != constraint.index() && failure(other, slot) != null) {
                return false;
            }
        }
        return true;
    }

    /** What is gathered of a domain's nodes. */
    private static final class Gathered {
        int nodes;
        int passed;
        final SortedMap<Explanation.Cause, Integer> shutOutBy = new TreeMap<>();
        String value = "";
    }

    private List<Explanation.DomainState> domains(PlannedConstraint constraint, int minimum, int least) {
        Topology topology = constraint.domains().topology;
        Map<Integer, Gathered> gathered = new HashMap<>();
        for (int domain : listed(constraint)) {
            gathered.put(domain, new Gathered());
        }
        for (int slot = 0; slot < answer.names().limit(); slot++) {
            Gathered domain = gathered.get(topology.domainOf(slot));
            if (domain != null) {
                gather(domain, topology, slot);
            }
        }
        List<Explanation.DomainState> states = new ArrayList<>();
        gathered.forEach((id, domain) -> {
            int count = count(constraint, id);
            int eligibleNodes = constraint.domains().nodesIn(id);
            long skew = (long) count + constraint.self() - minimum;
            states.add(new Explanation.DomainState(
                    domain.value,
                    count,
                    eligibleNodes > 0,
                    eligibleNodes > 0 && count == least,
                    skew,
                    skew <= constraint.source().maxSkew(),
                    domain.nodes,
                    eligibleNodes,
                    domain.passed,
                    domain.shutOutBy));
        });
        states.sort(Comparator.comparingInt(Explanation.DomainState::matchingPods)
                .thenComparing(Explanation.DomainState::value));
        return states;
    }

    private void gather(Gathered domain, Topology topology, int slot) {
        NodeTable.Attributes node = store.nodes.attributes(slot);
        domain.nodes++;
        domain.value =
                topology.kind == Topology.Kind.NODE ? node.name() : store.strings.get(topology.valueIn(node.labels()));
        if (answer.isCandidate(slot)) {
            Explanation.Cause cause = causeOfSlot.get(slot);
            if (cause == null) {
                domain.passed++;
            } else {
                domain.shutOutBy.merge(cause, 1, Integer::sum);
            }
        }
    }

    /** The domains to be listed: all, or the emptiest and the fullest. */
    private int[] listed(PlannedConstraint constraint) {
        Topology topology = constraint.domains().topology;
        int[] all = IntStream.range(0, topology.domainLimit())
                .filter(topology::isDomain)
                .boxed()
                .sorted(Comparator.comparingInt(domain -> count(constraint, domain)))
                .mapToInt(Integer::intValue)
                .toArray();
        if (all.length <= maxDomains) {
            return all;
        }
        int fullest = maxDomains / 2;
        return IntStream.concat(
                        Arrays.stream(all, 0, maxDomains - fullest),
                        Arrays.stream(all, all.length - fullest, all.length))
                .toArray();
    }

    private static int count(PlannedConstraint constraint, int domain) {
        SpreadGroup group = constraint.group();
        return group == null ? 0 : group.counts().get(domain);
    }
}
