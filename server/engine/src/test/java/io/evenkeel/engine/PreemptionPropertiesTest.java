package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.naive.FitRules;
import io.evenkeel.engine.naive.Recount;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.preemption.NodeVictims;
import io.evenkeel.engine.preemption.Preemption;
import io.evenkeel.engine.preemption.Preemptor;
import io.evenkeel.engine.preemption.Victim;
import io.evenkeel.engine.script.Act;
import io.evenkeel.engine.script.CrowdedGenerator;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.Script;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Compares the dry run of preemption with kube-scheduler's {@code SelectVictimsOnNode} and
 * {@code pickOneNodeForPreemption} written down over a recount, in random clusters.
 */
final class PreemptionPropertiesTest {
    private static final int CROWDED_SEEDS = 12;
    private static final int SEEDS = 100;
    private static final int ALL = 10_000;

    private final Map<String, Integer> seen = new TreeMap<>();

    @Test
    void victimsAreThoseOfARecount_inCrowdedClusters() {
        for (int seed = 0; seed < CROWDED_SEEDS; seed++) {
            play(seed, CrowdedGenerator.script(seed));
        }
        assertTrue(seen.getOrDefault("helpful", 0) > 60, seen::toString);
        assertTrue(seen.getOrDefault("reprieved", 0) > 150, seen::toString);
        assertTrue(seen.getOrDefault("violating", 0) > 150, seen::toString);
    }

    @Test
    void victimsAreThoseOfARecount_amongOddObjects() {
        for (int seed = 0; seed < SEEDS; seed++) {
            play(seed, Script.random(seed, 120, 0.3));
        }
        for (String kind : List.of("helpful", "reprieved", "violating", "terminating", "not helpful", "SKEW")) {
            assertTrue(seen.getOrDefault(kind, 0) > 10, seen::toString);
        }
    }

    private void play(int seed, Script script) {
        RandomChoices dice = new RandomChoices(seed);
        SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
        Map<String, DisruptionBudget> budgets = new TreeMap<>();
        int events = 0;
        for (Act act : script.acts()) {
            if (act instanceof Step.NodeEvent event) {
                engine.write(writer -> writer.apply(event.change(), event.node()));
            } else if (act instanceof Step.PodEvent event) {
                engine.write(writer -> writer.apply(event.change(), ranked(event.pod())));
                if (events++ % 4 == 0) {
                    DisruptionBudget budget = budget(dice, event.pod());
                    budgets.put(budget.name(), budget);
                    engine.write(writer -> writer.apply(Change.ADDED, budget));
                }
            } else if (act instanceof ScriptedQuery.Placement query) {
                new Play(dice, engine, budgets.values(), query).run();
            }
        }
        IndexValidator.validateFork(engine);
    }

    private static DisruptionBudget budget(RandomChoices dice, PodObject pod) {
        String name = pod.namespace() + "-" + dice.below(3);
        PodSelector selector =
                dice.chance(0.1) ? null : dice.chance(0.1) ? PodSelector.EMPTY : PodSelector.ofLabels(pod.labels());
        Set<String> disrupted = dice.chance(0.3) ? Set.of(pod.name()) : Set.of();
        return new DisruptionBudget(pod.namespace(), name, name, 0, selector, dice.below(4) - 1, disrupted);
    }

    /** The importance of a pod depends on its UID alone. Many pods are equally important. */
    private static PodRecord ranked(PodObject pod) {
        PodRecord record = PodRecord.of(pod);
        int hash = Math.floorMod(pod.uid().hashCode() * 0x9E3779B1, 1 << 20);
        record.priority =
                List.of(0, 0, -5, 7, 100, Integer.MIN_VALUE, Integer.MAX_VALUE).get(hash % 7);
        record.startedAt = hash % 11 == 0 ? 0 : 0xFFFF_FF00L + hash % 5;
        record.preempted = pod.terminating() && hash % 3 == 0;
        return record;
    }

    /** What the rules say about one node. */
    private record Expected(String node, List<PodRecord> victims, int violations) {
        int highest() {
            return victims.stream().mapToInt(pod -> pod.priority).max().orElseThrow();
        }

        long sum() {
            return victims.stream().mapToLong(pod -> pod.priority + (1L << 31)).sum();
        }

        long earliest() {
            return victims.stream()
                    .filter(pod -> pod.priority == highest())
                    .mapToLong(Expected::start)
                    .min()
                    .orElseThrow();
        }

        static long start(PodRecord pod) {
            return pod.startedAt == 0 ? Long.MAX_VALUE : pod.startedAt;
        }
    }

    private final class Play {
        private final SpreadEngine engine;
        private final Collection<DisruptionBudget> budgets;
        private final ScriptedQuery.Placement query;
        private final Preemptor preemptor;
        private final Map<String, NodeObject> nodes = new TreeMap<>();
        private final Map<String, List<PodRecord>> podsOn = new HashMap<>();
        private final Recount recount;
        private final @Nullable Set<String> asked;

        Play(
                RandomChoices dice,
                SpreadEngine engine,
                Collection<DisruptionBudget> budgets,
                ScriptedQuery.Placement query) {
            this.engine = engine;
            this.query = query;
            List<PodObject> pods = new ArrayList<>();
            for (int slot : engine.nodeNames().byName()) {
                String name = Objects.requireNonNull(engine.nodeNames().name(slot));
                nodes.put(name, Objects.requireNonNull(engine.node(name)));
                List<PodRecord> there = engine.podsOn(name).stream()
                        .filter(pod -> !pod.finished)
                        .toList();
                podsOn.put(name, there);
                there.forEach(pod -> pods.add(pod.toObject()));
            }
            boolean respects = dice.chance(0.8);
            this.budgets = respects ? List.copyOf(budgets) : List.of();
            String nominated = nodes.isEmpty() || dice.chance(0.7) ? "" : dice.pick(List.copyOf(nodes.keySet()));
            preemptor = new Preemptor(
                    dice.pick(List.of(0, 8, 100, 101, Integer.MAX_VALUE)), dice.chance(0.05), nominated, respects);
            recount = new Recount(query.pod(), query.defaults(), nodes.values(), pods, List.of());
            asked = dice.chance(0.3) ? query.candidates() : excluded();
        }

        /** The nodes that do not accept the pod, so that there is something to preempt. */
        private Set<String> excluded() {
            Map<String, Verdict> verdicts = recount.filterFitting(nodes.keySet());
            verdicts.values().removeIf(Verdict.SUCCESS::equals);
            return verdicts.keySet();
        }

        void run() {
            PodPlan plan = engine.plan(query.pod(), query.defaults());
            Set<String> names = asked;
            NodeSubset subset = names == null ? NodeSubset.ALL : NodeSubset.named(names);
            Preemption actual = engine.preempt(plan, preemptor, subset, ALL, StopSignal.NEVER);
            Set<String> candidates = new TreeSet<>(nodes.keySet());
            if (names != null) {
                candidates.retainAll(names);
                Set<String> unknown = new HashSet<>(names);
                unknown.removeAll(nodes.keySet());
                assertEquals(unknown, new HashSet<>(actual.unknown()));
            }
            assertEquals(engine.revision(), actual.revision());
            assertEquals(candidates.size(), actual.candidates());
            List<String> resolvable = new ArrayList<>();
            int accepting = 0;
            boolean again =
                    nodes.containsKey(preemptor.nominatedNode()) && !candidates.contains(preemptor.nominatedNode());
            Map<String, Verdict> verdicts = recount.filterFitting(candidates);
            for (Map.Entry<String, Verdict> each : verdicts.entrySet()) {
                if (each.getValue().equals(Verdict.SUCCESS)) {
                    accepting++;
                } else if (each.getValue().code() == VerdictCode.UNSCHEDULABLE) {
                    resolvable.add(each.getKey());
                } else {
                    again |= each.getKey().equals(preemptor.nominatedNode());
                }
            }
            assertEquals(accepting, actual.accepting());
            assertEquals(candidates.size() - accepting - resolvable.size(), actual.unresolvable());
            boolean preempts = accepting == 0 && !preemptor.never();
            boolean terminate = preempts
                    && !again
                    && podsOn.getOrDefault(preemptor.nominatedNode(), List.of()).stream()
                            .anyMatch(pod -> pod.preempted && pod.priority < preemptor.priority());
            assertEquals(terminate, actual.victimsTerminate());
            if (!preempts || terminate) {
                seen.merge(terminate ? "terminating" : "not searched", 1, Integer::sum);
                assertEquals(0, actual.helpful() + actual.withoutVictims());
                assertEquals(List.of(), actual.nodes());
                return;
            }
            compare(resolvable, actual);
            // Nodes that cannot be among the best are not searched to the end.
            for (int most = 1; most <= 3; most++) {
                Preemption fewer = engine.preempt(plan, preemptor, subset, most, StopSignal.NEVER);
                assertEquals(
                        actual.nodes().subList(0, Math.min(most, actual.nodes().size())), fewer.nodes());
                assertEquals(actual.helpful(), fewer.helpful());
            }
        }

        private void compare(List<String> resolvable, Preemption actual) {
            List<Expected> expected = new ArrayList<>();
            Map<Reason, Map<String, Integer>> excluding = new TreeMap<>();
            int without = 0;
            for (String name : resolvable) {
                Dry dry = new Dry(Objects.requireNonNull(nodes.get(name)));
                Verdict verdict = dry.verdict();
                if (dry.lower.isEmpty()) {
                    without++;
                } else if (verdict.equals(Verdict.SUCCESS)) {
                    expected.add(dry.reprieve());
                } else {
                    Reason reason = Objects.requireNonNull(verdict.reason());
                    reason = reason.isOfResources() ? Reason.FREE_RESOURCES : reason;
                    seen.merge(reason.name(), 1, Integer::sum);
                    for (String message :
                            reason.isOfResources() ? List.of(verdict.message().split(", ")) : List.of(reason.text())) {
                        excluding
                                .computeIfAbsent(reason, none -> new TreeMap<>())
                                .merge(message, 1, Integer::sum);
                    }
                }
            }
            assertEquals(without, actual.withoutVictims());
            assertEquals(excluding, new TreeMap<>(actual.excluding()));
            assertEquals(expected.size(), actual.helpful());
            expected.sort(Comparator.comparingInt(Expected::violations)
                    .thenComparingInt(Expected::highest)
                    .thenComparingLong(Expected::sum)
                    .thenComparingInt((Expected node) -> node.victims().size())
                    .thenComparing(Comparator.comparingLong(Expected::earliest).reversed())
                    .thenComparing(Expected::node));
            assertEquals(
                    expected.stream()
                            .map(node -> new NodeVictims(
                                    node.node(),
                                    node.victims().stream()
                                            .map(pod -> new Victim(
                                                    pod.uid(),
                                                    pod.namespace(),
                                                    pod.name(),
                                                    pod.priority,
                                                    pod.startedAt))
                                            .toList(),
                                    node.violations(),
                                    node.sum(),
                                    node.earliest() == Long.MAX_VALUE ? 0 : node.earliest()))
                            .toList(),
                    actual.nodes());
            seen.merge(expected.isEmpty() ? "not helpful" : "helpful", 1, Integer::sum);
        }

        /** The dry run on one node. */
        private final class Dry {
            private final NodeObject node;
            private final List<PodRecord> lower;
            private final Set<PodRecord> removed;

            Dry(NodeObject node) {
                this.node = node;
                lower = podsOn.getOrDefault(node.name(), List.of()).stream()
                        .filter(pod -> pod.priority < preemptor.priority())
                        .sorted(Comparator.comparing((PodRecord pod) -> pod.priority)
                                .reversed()
                                .thenComparing(Expected::start)
                                .thenComparing(PodRecord::uid))
                        .toList();
                removed = new HashSet<>(lower);
            }

            Verdict verdict() {
                List<PodObject> left = podsOn.getOrDefault(node.name(), List.of()).stream()
                        .filter(pod -> !removed.contains(pod))
                        .map(PodRecord::toObject)
                        .toList();
                Verdict excluded = FitRules.excluded(query.pod(), node, left);
                List<Map<String, Integer>> counts = recount.hardCounts();
                removed.forEach(pod -> recount.remove(pod.toObject(), node, counts));
                return excluded == null ? recount.verdict(node, counts) : excluded;
            }

            Expected reprieve() {
                Map<String, Integer> left = new HashMap<>();
                budgets.forEach(budget -> left.put(budget.name(), budget.allowed()));
                List<PodRecord> violating = new ArrayList<>();
                List<PodRecord> others = new ArrayList<>();
                for (PodRecord pod : lower) {
                    boolean violates = false;
                    for (DisruptionBudget budget : budgets) {
                        if (matches(budget, pod.toObject())
                                && !budget.disrupted().contains(pod.name())) {
                            violates |= left.merge(budget.name(), -1, Integer::sum) < 0;
                        }
                    }
                    (violates ? violating : others).add(pod);
                }
                int violations = reprieve(violating);
                reprieve(others);
                seen.merge("violating", violations, Integer::sum);
                return new Expected(
                        node.name(), lower.stream().filter(removed::contains).toList(), violations);
            }

            private int reprieve(List<PodRecord> pods) {
                int victims = 0;
                for (PodRecord pod : pods) {
                    removed.remove(pod);
                    if (!verdict().equals(Verdict.SUCCESS)) {
                        removed.add(pod);
                        victims++;
                    } else {
                        seen.merge("reprieved", 1, Integer::sum);
                    }
                }
                return victims;
            }
        }

        private static boolean matches(DisruptionBudget budget, PodObject pod) {
            PodSelector selector = budget.selector();
            return budget.namespace().equals(pod.namespace())
                    && selector != null
                    && !selector.isEmpty()
                    && !pod.labels().isEmpty()
                    && selector.matches(pod.labels());
        }
    }
}
