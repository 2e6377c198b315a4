package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.explain.Explanation.ConstraintState;
import io.evenkeel.engine.explain.Explanation.DomainState;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.Answers;
import io.evenkeel.engine.script.ScriptTarget;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Answers like the model, and checks the engine's explanation of each answer: against the model's counts, and against
 * the engine with other values of maxSkew.
 */
public final class ExplainingSubject implements ScriptTarget {
    private final ModelSubject model = new ModelSubject();
    private final EngineSubject engine;

    public ExplainingSubject(EngineLayout layout) {
        engine = layout.subject();
    }

    @Override
    public void apply(Step step) {
        model.apply(step);
        engine.apply(step);
    }

    @Override
    public Answers ask(ScriptedQuery query) {
        Answers answers = model.ask(query);
        if (query instanceof ScriptedQuery.Placement placement && answers instanceof Answers.Placement wanted) {
            Set<String> named = placement.candidates();
            checkNamed(
                    wanted,
                    explain(
                            placement,
                            placement.pod(),
                            placement.defaults(),
                            named == null ? NodeSubset.ALL : NodeSubset.named(named),
                            EntryRules.NONE));
            Explanation explanation = explainEnterable(placement, placement.pod(), placement.defaults());
            if (named == null) {
                checkEnterable(wanted, explanation);
            }
            checkCounts(placement, explanation);
            checkVerdictsByConstraint(explanation);
            checkLeastMaxSkew(placement, explanation);
            checkConflicts(explanation);
        }
        return answers;
    }

    private Explanation explainEnterable(ScriptedQuery.Placement query, IncomingPod pod, SpreadDefaults defaults) {
        return explain(query, pod, defaults, NodeSubset.ALL, EntryRules.ENTERABLE);
    }

    /** An explanation for {@code pod}, with the overlay of the query. */
    private Explanation explain(
            ScriptedQuery.Placement query,
            IncomingPod pod,
            SpreadDefaults defaults,
            NodeSubset candidates,
            EntryRules rules) {
        SpreadEngine asked = engine.engine();
        Explanation explanation = asked.explain(
                asked.plan(pod, defaults), candidates, rules, query.overlay(), Integer.MAX_VALUE, StopSignal.NEVER);
        assertEquals(model.model().unknown(query.overlay()), explanation.unknownPods());
        return explanation;
    }

    private static void checkNamed(Answers.Placement wanted, Explanation explanation) {
        Map<String, Verdict> verdicts = new TreeMap<>();
        Map<String, Integer> scores = new TreeMap<>();
        explanation.verdicts().forEach(verdict -> {
            verdicts.put(verdict.node(), modelVerdict(verdict));
            if (verdict.passed()) {
                scores.put(verdict.node(), verdict.score());
            }
        });
        assertEquals(wanted.verdicts(), verdicts);
        assertEquals(wanted.scoresOfPassed(), scores);
    }

    private static Verdict modelVerdict(Explanation.Verdict verdict) {
        return verdict.cause() == null
                ? Verdict.SUCCESS
                : Verdict.failed(verdict.cause().reason());
    }

    private static void checkEnterable(Answers.Placement wanted, Explanation explanation) {
        Map<Explanation.Cause, Integer> causes = new TreeMap<>();
        for (Explanation.Verdict verdict : explanation.verdicts()) {
            Reason before = wanted.shutOut().get(verdict.node());
            Verdict right = before == null
                    ? Objects.requireNonNull(wanted.verdicts().get(verdict.node()))
                    : Verdict.failed(before);
            assertEquals(right, modelVerdict(verdict), verdict.node());
            Explanation.Cause cause = verdict.cause();
            if (cause != null) {
                causes.merge(cause, 1, Integer::sum);
                assertEquals(cause.reason() == Reason.UNTOLERATED_TAINT, cause.taint() != null);
                assertEquals(before == null, cause.isSpread());
            }
        }
        assertEquals(causes, explanation.causes());
    }

    private void checkCounts(ScriptedQuery.Placement query, Explanation explanation) {
        List<Map<String, Integer>> right = model.model().hardCounts(query.pod(), query.defaults(), query.overlay());
        List<ConstraintState> hard = hard(explanation);
        assertEquals(right.size(), hard.size());
        for (int i = 0; i < right.size(); i++) {
            Map<String, Integer> counts = right.get(i);
            ConstraintState state = hard.get(i);
            Map<String, Integer> told = new HashMap<>();
            int eligibleNodes = 0;
            for (DomainState domain : state.domains()) {
                if (domain.eligible()) {
                    told.put(domain.value(), domain.matchingPods());
                    eligibleNodes += domain.eligibleNodes();
                } else {
                    assertEquals(0, domain.matchingPods());
                }
                assertEquals(domain.nodes(), domain.eligibleNodes() + sum(domain.ineligibleBy()));
            }
            int least = counts.values().stream().min(Integer::compare).orElse(0);
            boolean below = counts.size() < Math.max(1, state.source().minDomains());
            assertEquals(counts, told);
            assertEquals(counts.size(), state.eligibleDomains());
            assertEquals(eligibleNodes, state.eligibleNodes());
            assertEquals(state.domains().size(), state.totalDomains());
            assertEquals(below, state.belowMinDomains());
            assertEquals(below ? 0 : least, state.minimum());
            assertEquals(
                    counts.values().stream().filter(count -> count == least).count(), state.criticalPaths());
            checkDomains(explanation, state, least);
        }
    }

    private static void checkDomains(Explanation explanation, ConstraintState state, int least) {
        for (DomainState domain : state.domains()) {
            assertEquals(domain.eligible() && domain.matchingPods() == least, domain.criticalPath());
            assertEquals(
                    (long) domain.matchingPods() + state.selfMatch() - state.minimum(), domain.skewAfterPlacement());
            assertEquals(domain.skewAfterPlacement() <= state.source().maxSkew(), domain.wouldDo());
            int place = explanation.constraints().indexOf(state);
            List<Explanation.Verdict> inDomain = explanation.verdicts().stream()
                    .filter(verdict ->
                            domain.value().equals(verdict.domains().get(place).domain()))
                    .toList();
            assertEquals(domain.nodes(), inDomain.size());
            assertEquals(
                    domain.passed(),
                    inDomain.stream().filter(Explanation.Verdict::passed).count());
            assertEquals(domain.nodes() - domain.passed(), sum(domain.excludedBy()));
            inDomain.forEach(verdict -> assertEquals(
                    domain.matchingPods(), verdict.domains().get(place).matchingPods()));
        }
    }

    /**
     * A node passes if the rules before spread let the pod in and each hard constraint admits its domain; the first
     * rule or constraint that does not is the cause.
     */
    private static void checkVerdictsByConstraint(Explanation explanation) {
        for (Explanation.Verdict verdict : explanation.verdicts()) {
            if (verdict.entered()) {
                Explanation.Cause first = hard(explanation).stream()
                        .filter(state -> !admits(explanation, state, verdict))
                        .map(state -> Explanation.Cause.of(
                                domainOf(explanation, state, verdict).domain() == null
                                        ? Reason.MISSING_LABEL
                                        : Reason.SKEW,
                                state.index()))
                        .findFirst()
                        .orElse(null);
                assertEquals(first, verdict.cause(), verdict.node());
            }
        }
        for (ConstraintState state : explanation.constraints()) {
            List<Explanation.Verdict> entered = explanation.verdicts().stream()
                    .filter(Explanation.Verdict::entered)
                    .toList();
            assertEquals(
                    entered.stream()
                            .filter(verdict -> !state.source().hard() || admits(explanation, state, verdict))
                            .count(),
                    state.admitted());
            assertEquals(
                    entered.stream()
                            .filter(verdict ->
                                    domainOf(explanation, state, verdict).domain() != null)
                            .count(),
                    state.enteredCarriers());
        }
    }

    private static boolean admits(Explanation explanation, ConstraintState state, Explanation.Verdict verdict) {
        Explanation.DomainCount domainOf = domainOf(explanation, state, verdict);
        return domainOf.domain() != null
                && (long) domainOf.matchingPods() + state.selfMatch() - state.minimum()
                        <= state.source().maxSkew();
    }

    private static Explanation.DomainCount domainOf(
            Explanation explanation, ConstraintState state, Explanation.Verdict verdict) {
        return verdict.domains().get(explanation.constraints().indexOf(state));
    }

    /** With that maxSkew the pod fits, with one less it does not; if none is named, none helps. */
    private void checkLeastMaxSkew(ScriptedQuery.Placement query, Explanation explanation) {
        for (ConstraintState state : hard(explanation)) {
            if (explanation.passed() > 0) {
                assertEquals(0, state.leastMaxSkew());
                continue;
            }
            int least = Math.toIntExact(state.leastMaxSkew());
            if (least == 0) {
                assertEquals(0, explainWith(query, state, Integer.MAX_VALUE).passed());
            } else {
                assertTrue(least > state.source().maxSkew());
                assertEquals(0, explainWith(query, state, least - 1).passed());
                assertTrue(explainWith(query, state, least).passed() > 0);
            }
        }
    }

    private Explanation explainWith(ScriptedQuery.Placement query, ConstraintState state, int maxSkew) {
        IncomingPod pod = query.pod();
        boolean own = !pod.constraints().isEmpty();
        List<SpreadConstraint> constraints =
                new ArrayList<>(own ? pod.constraints() : query.defaults().constraints());
        SpreadConstraint from = constraints.get(state.index());
        constraints.set(
                state.index(),
                new SpreadConstraint(
                        maxSkew,
                        from.topologyKey(),
                        from.hard(),
                        from.selector(),
                        from.matchLabelKeys(),
                        from.minDomains(),
                        from.honorAffinity(),
                        from.honorTaints()));
        return own
                ? explainEnterable(query, pod.withConstraints(constraints), query.defaults())
                : explainEnterable(
                        query,
                        pod,
                        new SpreadDefaults(false, constraints, query.defaults().ownersSelector()));
    }

    private static void checkConflicts(Explanation explanation) {
        for (List<Integer> conflict : explanation.conflicts()) {
            List<ConstraintState> parties = explanation.constraints().stream()
                    .filter(state -> conflict.contains(state.index()))
                    .toList();
            assertEquals(conflict.size(), parties.size());
            parties.forEach(state -> assertTrue(state.admitted() > 0));
            assertEquals(
                    0,
                    explanation.verdicts().stream()
                            .filter(Explanation.Verdict::entered)
                            .filter(verdict -> parties.stream().allMatch(state -> admits(explanation, state, verdict)))
                            .count());
        }
        if (explanation.conflicts().isEmpty() && explanation.passed() == 0 && explanation.entered() > 0) {
            assertTrue(
                    hard(explanation).stream().anyMatch(state -> state.admitted() == 0),
                    "a pod that each constraint would admit somewhere, and all together nowhere, is in a conflict");
        }
    }

    private static List<ConstraintState> hard(Explanation explanation) {
        return explanation.constraints().stream()
                .filter(state -> state.source().hard())
                .collect(Collectors.toList());
    }

    private static int sum(Map<Explanation.Cause, Integer> nodes) {
        return nodes.values().stream().mapToInt(Integer::intValue).sum();
    }
}
