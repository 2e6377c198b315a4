package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.script.Act;
import io.evenkeel.engine.script.Answers;
import io.evenkeel.engine.script.CrowdedGenerator;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.Script;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Verdict;
import io.evenkeel.engine.script.World;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.engine.simulation.RefusalListener;
import io.evenkeel.engine.simulation.Schedule;
import io.evenkeel.engine.simulation.ScheduledPods;
import io.evenkeel.engine.simulation.Scheduler;
import io.evenkeel.engine.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Compares schedules with the model, which recounts for each pod: after random events, in an engine whose plans have
 * served other questions, and with forks that are reverted in between.
 */
final class SchedulerPropertiesTest {
    private static final EngineLayout[] LAYOUTS = EngineLayout.values();
    private static final int CROWDED_SEEDS = 6;
    private static final int SEEDS = 50;

    @Test
    void pods_goWhereARecountPutsThem_inCrowdedClusters() {
        int placed = 0;
        for (int seed = 0; seed < CROWDED_SEEDS; seed++) {
            placed += play(seed, CrowdedGenerator.script(seed));
        }
        assertTrue(placed > 200, "placed only " + placed);
    }

    @Test
    void pods_goWhereARecountPutsThem_amongOddObjects() {
        int placed = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            placed += play(seed, Script.random(seed, 80, 0.3));
        }
        assertTrue(placed > 200, "placed only " + placed);
    }

    @Test
    void pods_goWhereARecountPutsThem_ifTwoOfManyNodesShareADomain() {
        IncomingPod pod = new IncomingPod(
                World.NAMESPACE,
                World.WEB,
                Map.of(),
                null,
                List.of(),
                List.of(new SpreadConstraint(
                        1, "unit", false, PodSelector.ofLabels(World.WEB), List.of(), 0, true, false)),
                null);
        for (int seed = 0; seed < 2 * LAYOUTS.length; seed++) {
            Play play = new Play(seed);
            for (int node = 0; node < 16; node++) {
                play.apply(new Step.NodeEvent(
                        Change.ADDED,
                        new NodeObject(
                                "n" + node,
                                "uid-" + node,
                                1,
                                new TreeMap<>(Map.of("unit", "u" + node % 15)),
                                List.of(),
                                false,
                                new NodeAllocatable(4, Map.of()))));
            }
            for (int i = 0; i < 20; i++) {
                play.schedule(new ScriptedQuery.Placement(pod, SpreadDefaults.NONE, null));
            }
            assertTrue(play.placed > 50, "placed only " + play.placed);
        }
    }

    private static int play(int seed, Script script) {
        Play play = new Play(seed);
        for (Act act : script.acts()) {
            if (act instanceof Step.NodeEvent || act instanceof Step.PodEvent || act instanceof Step.OwnerEvent) {
                play.apply((Step) act);
            } else if (act instanceof ScriptedQuery.Placement query) {
                play.schedule(query);
            }
        }
        IndexValidator.validate(play.engine);
        return play.placed;
    }

    private static final class Play {
        private final RandomChoices dice;
        private final SpreadEngine engine;
        private final SimulatedCluster cluster;
        private final ModelSubject model = new ModelSubject();
        private final List<ScriptedQuery.Placement> asked = new ArrayList<>();
        private final Answer reused = new Answer();
        private ScriptedQuery.@Nullable Placement lastAsked;
        private ScoredPod lastScored = ScoredPod.NOTHING;
        private long uids;
        private int placed;

        Play(int seed) {
            dice = new RandomChoices(seed);
            engine = new SpreadEngine(LAYOUTS[seed % LAYOUTS.length].options());
            cluster = new SimulatedCluster(engine);
        }

        void apply(Step step) {
            model.apply(step);
            engine.write(writer -> {
                if (step instanceof Step.NodeEvent event) {
                    writer.apply(event.change(), event.node());
                } else if (step instanceof Step.PodEvent event) {
                    writer.apply(event.change(), event.pod());
                } else if (step instanceof Step.OwnerEvent event) {
                    writer.apply(event.change(), event.owner());
                }
            });
        }

        /** Schedules some of the pods that were asked about so far, in a fork that is reverted, or as assumptions. */
        void schedule(ScriptedQuery.Placement query) {
            asked.add(query);
            compareBest();
            boolean assumes = dice.chance(0.3);
            PlacementRule rule = dice.pick(
                    List.of(PlacementRule.SPREAD, PlacementRule.SPREAD, PlacementRule.FIRST, PlacementRule.STOCK));
            List<String> order = dice.chance(0.3) ? shuffledNodes() : List.of();
            List<ScheduledPods> items = new ArrayList<>();
            List<ScriptedQuery.Placement> queries = new ArrayList<>();
            for (int i = dice.between(1, 6); i > 0; i--) {
                boolean again = !queries.isEmpty() && dice.chance(0.6);
                ScriptedQuery.Placement one = again ? queries.get(queries.size() - 1) : dice.pick(asked);
                queries.add(one);
                int count = assumes ? 1 : dice.pick(List.of(1, 1, 2, 5, 12));
                items.add(new ScheduledPods(
                        engine.plan(one.pod(), one.defaults()), scored(), record(one.pod()), count, node()));
            }
            Refusals refusals = new Refusals();
            Scheduler scheduler = new Scheduler(engine, items, rule, order, refusals, StopSignal.NEVER);
            cluster.fork();
            Schedule schedule = assumes ? scheduler.assume(Duration.ofDays(1)) : cluster.schedule(scheduler);
            List<String> expected = new ArrayList<>();
            List<PodObject> pods = new ArrayList<>();
            for (int item = 0; item < items.size(); item++) {
                ScheduledPods one = items.get(item);
                String node = "";
                for (int i = 0; i < schedule.placed(item) + 1 && i < one.count(); i++) {
                    node = choose(queries.get(item), one.scored(), rule, order, one.node());
                    if (!node.isEmpty()) {
                        expected.add(node);
                        pods.add(placed(one.pod().toObject(), item + "/" + i, node));
                        model.apply(new Step.PodEvent(Change.ADDED, pods.get(pods.size() - 1)));
                    }
                }
                assertEquals(node.isEmpty(), refusals.items.contains(item), "refused " + item);
            }
            List<String> actual = new ArrayList<>();
            for (int slot : schedule.nodes()) {
                actual.add(schedule.names().name(slot));
            }
            assertEquals(expected, actual, () -> rule + " " + queries);
            placed += actual.size();
            pods.forEach(pod -> model.apply(new Step.PodEvent(Change.DELETED, pod)));
            items.forEach(
                    item -> engine.write(writer -> writer.forget(item.pod().uid())));
            cluster.revert();
        }

        private String choose(
                ScriptedQuery.Placement query, ScoredPod scored, PlacementRule rule, List<String> order, String only) {
            Answers.Fitting fitting = fitting(query);
            Set<String> passed = new TreeSet<>();
            fitting.verdicts().forEach((node, verdict) -> {
                if (verdict.equals(Verdict.SUCCESS) && (only.isEmpty() || only.equals(node))) {
                    passed.add(node);
                }
            });
            Map<String, Long> sums = rule == PlacementRule.STOCK
                    ? model.model().stock(query.pod(), scored, query.defaults(), passed)
                    : Map.of();
            Map<String, Long> scores = new TreeMap<>();
            for (String node : passed) {
                long score = rule == PlacementRule.SPREAD ? fitting.scores().getOrDefault(node, 0) : 0;
                scores.put(node, -sums.getOrDefault(node, score));
            }
            Comparator<Map.Entry<String, Long>> byScore = Map.Entry.comparingByValue();
            return scores.entrySet().stream()
                    .min(byScore.thenComparing(entry ->
                                    order.contains(entry.getKey()) ? order.indexOf(entry.getKey()) : order.size())
                            .thenComparing(Map.Entry.comparingByKey()))
                    .map(Map.Entry::getKey)
                    .orElse("");
        }

        /** Asks for the best nodes of a pod, often the one that was asked about last, in an answer that is reused. */
        private void compareBest() {
            if (dice.chance(0.5)) {
                lastAsked = dice.pick(asked);
                lastScored = scored();
            }
            ScriptedQuery.Placement placement = lastAsked == null ? asked.get(0) : lastAsked;
            PodPlan plan = engine.plan(placement.pod(), placement.defaults());
            engine.judgeAndWrite((writer, evaluation) -> evaluation.runStock(plan, lastScored, NodeSubset.ALL, reused));
            Set<String> actual = new TreeSet<>();
            for (int slot : engine.nodeNames().byName()) {
                if (NodeBits.get(reused.top(), slot)) {
                    actual.add(String.valueOf(engine.nodeNames().name(slot)));
                }
            }
            Set<String> passed = new TreeSet<>();
            fitting(placement).verdicts().forEach((node, verdict) -> {
                if (verdict.equals(Verdict.SUCCESS)) {
                    passed.add(node);
                }
            });
            Map<String, Long> sums = model.model().stock(placement.pod(), lastScored, placement.defaults(), passed);
            long most = sums.values().stream().mapToLong(Long::longValue).max().orElse(0);
            passed.removeIf(node -> sums.getOrDefault(node, 0L) < most);
            assertEquals(passed, actual, placement::toString);
        }

        private Answers.Fitting fitting(ScriptedQuery.Placement placement) {
            return ((Answers.Placement)
                            model.ask(new ScriptedQuery.Placement(placement.pod(), placement.defaults(), null)))
                    .fitting();
        }

        /** Preferences for nodes that some pod was restricted to. */
        private ScoredPod scored() {
            List<ScoredPod.Preference> preferences = new ArrayList<>();
            for (ScriptedQuery.Placement query : dice.some(asked, 0.3)) {
                List<NodeTerm> terms = query.pod().affinityTerms();
                if (terms != null && preferences.size() < 4) {
                    terms.forEach(term -> preferences.add(new ScoredPod.Preference(dice.between(1, 100), term)));
                }
            }
            return new ScoredPod(preferences, new PodRequests.NonZero(dice.below(3), dice.below(3)));
        }

        private List<String> shuffledNodes() {
            List<String> names = new ArrayList<>(dice.some(new ArrayList<>(new TreeSet<>(nodes())), 0.5));
            Collections.reverse(names);
            names.add(dice.below(names.size() + 1), "unknown");
            return names;
        }

        private List<String> nodes() {
            return List.copyOf(new TreeSet<>(model.model().nodeNames()));
        }

        /** The only node to try, sometimes one that does not exist; usually none. */
        private String node() {
            if (nodes().isEmpty() || !dice.chance(0.3)) {
                return "";
            }
            return dice.chance(0.1) ? "unknown" : dice.pick(nodes());
        }

        private PodRecord record(IncomingPod pod) {
            String uid = new UUID(1, ++uids << 8).toString();
            return PodRecord.of(new PodObject(
                    pod.namespace(),
                    "new-" + uids,
                    uid,
                    0,
                    pod.labels(),
                    "",
                    false,
                    false,
                    pod.requests().withNonZero(new PodRequests.NonZero(dice.below(3), dice.below(3)))));
        }

        private static PodObject placed(PodObject pod, String suffix, String node) {
            return new PodObject(
                    pod.namespace(),
                    pod.name() + suffix,
                    pod.uid() + suffix,
                    0,
                    pod.labels(),
                    node,
                    false,
                    false,
                    pod.requests());
        }
    }

    private static final class Refusals implements RefusalListener {
        private final List<Integer> items = new ArrayList<>();

        @Override
        public boolean refused(int item, Answer answer) {
            assertEquals(0, answer.passedCount());
            items.add(item);
            return item % 2 == 0;
        }

        @Override
        public void afterRefusal(int item) {
            assertTrue(items.contains(item));
        }

        @Override
        public void notAssumed(int item, Assumption why) {
            throw new AssertionError(item + ": " + why);
        }
    }
}
