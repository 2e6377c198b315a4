package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.Drainability;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.engine.naive.Recount;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.script.Act;
import io.evenkeel.engine.script.CrowdedGenerator;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.Script;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Verdict;
import io.evenkeel.engine.simulation.NodePod;
import io.evenkeel.engine.simulation.NodeRemoval;
import io.evenkeel.engine.simulation.NodeRemovals;
import io.evenkeel.engine.simulation.PlacementRule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares removals of nodes with a recount for each pod, in random clusters: each by itself and together, with the
 * node as an empty domain and gone at once.
 */
final class RemovalPropertiesTest {
    private static final long NOW = 1_000_000;
    private static final int CROWDED_SEEDS = 5;
    private static final int SEEDS = 40;
    private static final int MAX_PODS = 12;
    private static final NodeTaint TO_BE_DELETED = new NodeTaint("ToBeDeletedByClusterAutoscaler", "", "NoSchedule");

    private final Map<String, Integer> seen = new TreeMap<>();

    @Test
    void podsGoWhereARecountPutsThem_inCrowdedClusters() {
        for (int seed = 0; seed < CROWDED_SEEDS; seed++) {
            play(seed, CrowdedGenerator.script(seed));
        }
        assertTrue(seen.getOrDefault("moves", 0) > 100, seen::toString);
    }

    @Test
    void podsGoWhereARecountPutsThem_amongOddObjects() {
        for (int seed = 0; seed < SEEDS; seed++) {
            play(seed, Script.random(seed, 120, 0.3));
        }
        assertTrue(seen.getOrDefault("possible", 0) > 50, seen::toString);
        assertTrue(seen.getOrDefault("stuck", 0) > 10, seen::toString);
        assertTrue(seen.getOrDefault("blocked", 0) > 20, seen::toString);
        assertTrue(seen.getOrDefault("used up", 0) > 20, seen::toString);
        assertTrue(seen.getOrDefault("exceeded", 0) > 0, seen::toString);
    }

    private void play(int seed, Script script) {
        RandomChoices dice = new RandomChoices(seed);
        SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
        Map<String, DisruptionBudget> budgets = new TreeMap<>();
        List<ScriptedQuery.Placement> asked = new ArrayList<>();
        int events = 0;
        for (Act act : script.acts()) {
            if (act instanceof Step.NodeEvent event) {
                engine.write(writer -> writer.apply(event.change(), event.node()));
            } else if (act instanceof Step.PodEvent event) {
                engine.write(writer -> writer.apply(event.change(), draining(event.pod())));
                if (events++ % 4 == 0) {
                    DisruptionBudget budget = budget(dice, event.pod());
                    budgets.put(budget.name(), budget);
                    engine.write(writer -> writer.apply(Change.ADDED, budget));
                }
            } else if (act instanceof ScriptedQuery.Placement query) {
                asked.add(events % 3 == 0 ? tolerant(query) : query);
                new Play(dice, engine, budgets.values(), asked).run();
            }
        }
    }

    /** A budget, new or instead of another one, that matches a pod or its whole namespace, or no pod. */
    private static DisruptionBudget budget(RandomChoices dice, PodObject pod) {
        String name = pod.namespace() + "-" + dice.below(3);
        PodSelector selector =
                dice.chance(0.1) ? null : dice.chance(0.1) ? PodSelector.EMPTY : PodSelector.ofLabels(pod.labels());
        return new DisruptionBudget(pod.namespace(), name, name, 0, selector, dice.below(12) - 1, Set.of());
    }

    /** Most pods move; what a pod does depends on its UID alone. */
    private static PodRecord draining(PodObject pod) {
        PodRecord record = PodRecord.of(pod);
        int hash = Math.floorMod(pod.uid().hashCode(), 40);
        record.drainability = hash < 8 ? Drainability.of(hash) : Drainability.MOVES;
        record.goneAt = pod.terminating() ? NOW - 1 + hash % 3 : 0;
        return record;
    }

    /** The same query for a pod that tolerates every taint, so that it may enter the node that is removed. */
    private static ScriptedQuery.Placement tolerant(ScriptedQuery.Placement query) {
        return new ScriptedQuery.Placement(
                new IncomingPod(
                        query.pod().namespace(),
                        query.pod().labels(),
                        query.pod().nodeSelector(),
                        query.pod().affinityTerms(),
                        List.of(new TaintToleration("", "Exists", "", "")),
                        query.pod().constraints(),
                        query.pod().controller(),
                        query.pod().requests(),
                        ""),
                query.defaults(),
                null);
    }

    /** Some removals of one request, in a copy of the cluster. */
    private final class Play implements NodeRemovals.Plans {
        private final RandomChoices dice;
        private final SpreadEngine engine;
        private final Collection<DisruptionBudget> budgets;
        private final Map<String, Integer> left = new HashMap<>();
        private final List<ScriptedQuery.Placement> asked;
        private final boolean together;
        private final boolean goneAtOnce;
        private final PlacementRule rule;
        private final List<String> order;
        private final PlanPins pins;
        private final Map<String, NodeObject> nodes = new TreeMap<>();
        private final Map<String, PodRecord> pods = new HashMap<>();

        Play(
                RandomChoices dice,
                SpreadEngine live,
                Collection<DisruptionBudget> budgets,
                List<ScriptedQuery.Placement> asked) {
            this.dice = dice;
            this.engine = live.fork();
            this.budgets = List.copyOf(budgets);
            budgets.forEach(budget -> left.put(budget.name(), budget.allowed()));
            this.asked = asked;
            together = dice.chance(0.5);
            goneAtOnce = dice.chance(0.4);
            rule = dice.pick(List.of(PlacementRule.SPREAD, PlacementRule.FIRST, PlacementRule.STOCK));
            pins = engine.pinPlans(StopSignal.NEVER, PlanPins.UNLIMITED);
            for (int slot : engine.nodeNames().byName()) {
                String name = Objects.requireNonNull(engine.nodeNames().name(slot));
                nodes.put(name, Objects.requireNonNull(engine.node(name)));
                engine.podsOn(name).forEach(pod -> pods.put(pod.uid(), pod));
            }
            order = dice.chance(0.3) ? dice.some(new TreeSet<>(nodes.keySet()).descendingSet(), 0.5) : List.of();
        }

        void run() {
            List<String> busy = nodes.keySet().stream()
                    .filter(node -> !podsOn(node).isEmpty() || dice.chance(0.1))
                    .toList();
            List<String> candidates = dice.some(busy, Math.min(0.6, 6.0 / (busy.size() + 1)));
            NodeRemovals removals = new NodeRemovals(
                    engine, this, pins, rule, order, goneAtOnce, NOW, true, (node, pod, plan, tried, answer) -> {
                        assertEquals(0, answer.passedCount());
                    });
            assertNull(removals.judge("unknown"));
            for (String name : candidates) {
                if (podsOn(name).size() <= MAX_PODS) {
                    NodeRemoval actual = together ? removals.remove(name) : removals.judge(name);
                    compare(name, Objects.requireNonNull(actual));
                }
            }
            IndexValidator.validateFork(engine);
            pins.close();
        }

        private List<PodRecord> podsOn(String node) {
            return pods.values().stream()
                    .filter(pod -> pod.nodeName().equals(node) && !pod.finished)
                    .sorted(Comparator.comparing(PodRecord::namespace)
                            .thenComparing(PodRecord::name)
                            .thenComparing(PodRecord::uid))
                    .toList();
        }

        private void compare(String name, NodeRemoval actual) {
            List<PodRecord> all = podsOn(name);
            List<PodRecord> moving = new ArrayList<>();
            List<String> blocking = new ArrayList<>();
            int[] ends = new int[3];
            for (PodRecord pod : all) {
                if (pod.drainability == Drainability.MIRROR) {
                    ends[0]++;
                } else if (pod.goneAt > 0 && pod.goneAt < NOW) {
                    ends[1]++;
                } else if (pod.drainability == Drainability.DAEMON) {
                    ends[2]++;
                } else if (pod.drainability == Drainability.SAFE_TO_EVICT) {
                    moving.add(pod);
                } else if (pod.drainability == Drainability.MOVES) {
                    List<String> usedUp = matching(pod)
                            .filter(budget -> left.getOrDefault(budget, 0) < 1)
                            .toList();
                    if (usedUp.isEmpty()) {
                        moving.add(pod);
                    } else {
                        blocking.add(pod.uid() + usedUp);
                        seen.merge("used up", 1, Integer::sum);
                    }
                } else {
                    blocking.add(pod.uid() + "[]");
                }
            }
            assertEquals(
                    List.of(ends[0], ends[1], ends[2]), List.of(actual.mirrors(), actual.gone(), actual.daemons()));
            assertEquals(
                    blocking,
                    actual.blocking().stream()
                            .map(blocker -> blocker.pod().uid() + blocker.usedUp())
                            .toList());
            if (!blocking.isEmpty()) {
                seen.merge("blocked", 1, Integer::sum);
                return;
            }
            NodeObject node = Objects.requireNonNull(nodes.remove(name));
            if (!goneAtOnce) {
                List<NodeTaint> taints = new ArrayList<>(node.taints());
                taints.add(TO_BE_DELETED);
                nodes.put(
                        name,
                        new NodeObject(
                                name, node.uid(), 0, node.labels(), taints, node.unschedulable(), node.allocatable()));
            }
            all.forEach(pod -> pods.remove(pod.uid()));
            List<String> expected = new ArrayList<>();
            String stuck = "";
            for (PodRecord pod : moving) {
                String to = choose(pod, query(pod.namespace(), pod.toObject().labels()), name);
                if (to.isEmpty()) {
                    stuck = pod.uid();
                    break;
                }
                expected.add(to);
                seen.merge("moves", 1, Integer::sum);
                pods.put(pod.uid(), pod.on(to));
            }
            NodePod actuallyStuck = actual.stuck();
            assertEquals(stuck, actuallyStuck == null ? "" : actuallyStuck.uid(), name);
            assertEquals(expected, actual.nodes(), name);
            nodes.remove(name);
            if (!stuck.isEmpty() || !together) {
                nodes.put(name, node);
                all.forEach(pod -> pods.put(pod.uid(), pod));
            }
            boolean exceeded = stuck.isEmpty() && evict(moving);
            assertEquals(exceeded, actual.exceedsBudget(), name);
            seen.merge("exceeded", exceeded ? 1 : 0, Integer::sum);
            seen.merge(stuck.isEmpty() ? "possible" : "stuck", 1, Integer::sum);
        }

        /** Counts the pods that leave together; returns whether they are more than a budget allows. */
        private boolean evict(List<PodRecord> moving) {
            Map<String, Integer> before = Map.copyOf(left);
            moving.forEach(pod -> matching(pod).forEach(budget -> left.merge(budget, -1, Integer::sum)));
            boolean exceeded = left.entrySet().stream()
                    .anyMatch(budget ->
                            budget.getValue() < 0 && !budget.getValue().equals(before.get(budget.getKey())));
            if (!together) {
                left.putAll(before);
            }
            return exceeded;
        }

        /** The names of the budgets that match a pod, in order. */
        private Stream<String> matching(PodRecord pod) {
            Map<String, String> labels = pod.toObject().labels();
            return budgets.stream()
                    .filter(budget -> budget.namespace().equals(pod.namespace())
                            && budget.selector() != null
                            && budget.selector().matches(labels))
                    .map(DisruptionBudget::name)
                    .sorted();
        }

        private String choose(PodRecord pod, ScriptedQuery.Placement query, String removed) {
            Recount recount = new Recount(
                    query.pod(),
                    query.defaults(),
                    nodes.values(),
                    pods.values().stream().map(PodRecord::toObject).toList(),
                    List.of());
            TreeSet<String> candidates = new TreeSet<>(nodes.keySet());
            candidates.remove(removed);
            TreeSet<String> passed = new TreeSet<>();
            recount.filterFitting(candidates).forEach((node, verdict) -> {
                if (verdict.equals(Verdict.SUCCESS)) {
                    passed.add(node);
                }
            });
            Map<String, Long> scores = new TreeMap<>();
            if (rule == PlacementRule.SPREAD) {
                recount.score(passed).forEach((node, score) -> scores.put(node, (long) score));
            } else if (rule == PlacementRule.STOCK) {
                ScoredPod scored = new ScoredPod(preferences(pod.name()), pod.requests.nonZero());
                scores.putAll(recount.stock(scored, passed));
            }
            return passed.stream()
                    .min(Comparator.comparingLong((String node) -> -scores.getOrDefault(node, 0L))
                            .thenComparingInt(node -> order.contains(node) ? order.indexOf(node) : order.size())
                            .thenComparing(Comparator.naturalOrder()))
                    .orElse("");
        }

        /** The pod that is asked about in place of all stored pods with these labels. */
        private ScriptedQuery.Placement query(String namespace, Map<String, String> labels) {
            return asked.get(Math.floorMod(new TreeMap<>(labels).hashCode() + namespace.hashCode(), asked.size()));
        }

        @Override
        public PodPlan of(NodePod pod, StoredPod stored) {
            ScriptedQuery.Placement query = query(stored.namespace(), stored.labels());
            return pins.plan(query.pod(), query.defaults());
        }

        @Override
        public List<ScoredPod.Preference> preferences(StoredPod stored) {
            return preferences(stored.name());
        }

        private List<ScoredPod.Preference> preferences(String podName) {
            List<NodeTerm> terms = asked.get(Math.floorMod(podName.hashCode(), asked.size()))
                    .pod()
                    .affinityTerms();
            return terms == null
                    ? List.of()
                    : terms.stream()
                            .map(term -> new ScoredPod.Preference(1 + podName.length() % 3, term))
                            .toList();
        }

        @Override
        public boolean dependsOnNode(StoredPod stored) {
            return stored.name().hashCode() % 2 == 0;
        }
    }
}
