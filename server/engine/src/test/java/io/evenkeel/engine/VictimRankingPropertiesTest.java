package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.script.ChangeGenerator;
import io.evenkeel.engine.script.QueryGenerator;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Seeds;
import io.evenkeel.engine.script.Universe;
import io.evenkeel.engine.skew.WorkloadName;
import io.evenkeel.engine.skew.WorkloadReader;
import io.evenkeel.engine.victims.RankedVictims;
import io.evenkeel.engine.victims.VictimQuestion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Tests in random clusters that no other order of deletions is better, step by step, than that of victims, and that the
 * skews are those that explanations have without these pods.
 */
final class VictimRankingPropertiesTest {
    private static final int STEPS = 150;
    private static final int TEMPLATES = 5;

    /** More pods would have too many orders. */
    private static final int MAX_PODS = 9;

    private static final int DELETED = 5;

    /** The pods of each of the few templates of {@link EngineSubject} have their own controller, in each namespace. */
    private static final class Reader implements WorkloadReader {
        private final List<ScriptedQuery> asked = new ArrayList<>();

        @Override
        public Set<String> keys() {
            return Set.of();
        }

        @Override
        public Reading read(StoredPod stored) {
            int template = stored.template().length;
            IncomingPod asks = asked.get(template).pod();
            return new Reading(
                    new WorkloadName(stored.namespace(), "Deployment", "all"),
                    new WorkloadName(stored.namespace(), "ReplicaSet", "set-" + template),
                    "",
                    new IncomingPod(
                            stored.namespace(),
                            stored.labels(),
                            asks.nodeSelector(),
                            asks.affinityTerms(),
                            asks.tolerations(),
                            asks.constraints(),
                            asks.controller()),
                    asked.get(template).defaults(),
                    "");
        }
    }

    /** A constraint that counts like no other of the same pods. */
    private record Constraint(SpreadConstraint source, String selector) {}

    @Test
    void orders_areTheBestOfAll() {
        int compared = 0;
        int staged = 0;
        for (int seed = Seeds.FIRST; seed < Seeds.END; seed++) {
            RandomChoices dice = new RandomChoices(seed);
            Universe universe = new Universe(dice);
            ChangeGenerator changes = new ChangeGenerator(dice, universe);
            EngineSubject subject = EngineLayout.values()[seed % EngineLayout.values().length].subject();
            for (int step = 0; step < STEPS; step++) {
                subject.apply(changes.next());
            }
            QueryGenerator queries = new QueryGenerator(dice, universe);
            Reader reader = new Reader();
            while (reader.asked.size() < TEMPLATES) {
                ScriptedQuery query = queries.next(changes.nodeNames(), changes.pods());
                if (query instanceof ScriptedQuery.Placement) {
                    reader.asked.add(query);
                }
            }
            SpreadEngine engine = subject.engine();
            Map<WorkloadName, List<StoredPod>> groups = new HashMap<>();
            for (StoredPod pod : pods(engine)) {
                groups.computeIfAbsent(Objects.requireNonNull(reader.read(pod).controller()), name -> new ArrayList<>())
                        .add(pod);
            }
            for (Map.Entry<WorkloadName, List<StoredPod>> group : groups.entrySet()) {
                Map<String, Integer> stages = new HashMap<>();
                for (StoredPod pod : dice.chance(.5) ? group.getValue() : List.<StoredPod>of()) {
                    if (dice.chance(.5)) {
                        stages.put(pod.name(), dice.below(3));
                    }
                }
                VictimQuestion question = new VictimQuestion(group.getKey(), DELETED, stages);
                RankedVictims ranked = engine.rankVictims(reader, question, StopSignal.NEVER);
                assertEquals(List.of(group.getKey()), ranked.controllers());
                assertEquals(group.getValue().size(), ranked.pods());
                assertEquals(
                        Math.min(DELETED, group.getValue().size()),
                        ranked.victims().size());
                Model model = new Model(engine, reader, group.getValue());
                if (group.getValue().size() <= MAX_PODS && model.hasConstraints()) {
                    String at = "seed " + seed + " " + group.getKey();
                    check(model, ranked, stages, at);
                    compared++;
                    staged += stages.isEmpty() ? 0 : 1;
                }
            }
        }
        assertTrue(compared > Seeds.END - Seeds.FIRST, "compared " + compared);
        assertTrue(staged > 0);
    }

    private static void check(Model model, RankedVictims ranked, Map<String, Integer> stages, String at) {
        List<Long> measures = new ArrayList<>();
        Set<Integer> gone = new HashSet<>();
        for (RankedVictims.Victim victim : ranked.victims()) {
            int pod = model.find(victim.uid());
            int stage = model.stage(pod, stages);
            for (int other = 0; other < model.pods.size(); other++) {
                assertTrue(gone.contains(other) || model.stage(other, stages) >= stage, at);
            }
            assertTrue(gone.add(pod), at);
            long measure = 0;
            for (int c = 0; c < ranked.constraints().size(); c++) {
                int skew = victim.skews().get(c);
                int maxSkew = Objects.requireNonNull(ranked.constraints().get(c).source())
                        .maxSkew();
                measure += skew + 1_000L * Math.max(0, skew - maxSkew);
            }
            assertEquals(model.measure(gone), measure, at);
            measures.add(measure);
        }
        assertEquals(model.best(ranked.victims().size(), stages), measures, at);
    }

    /** Tries all orders, and takes each measure from explanations. */
    private static final class Model {
        private final SpreadEngine engine;
        private final Reader reader;
        private final List<StoredPod> pods;
        private final Map<Set<Integer>, Long> known = new HashMap<>();

        Model(SpreadEngine engine, Reader reader, List<StoredPod> pods) {
            this.engine = engine;
            this.reader = reader;
            this.pods = pods;
        }

        boolean hasConstraints() {
            return !skews(Set.of()).isEmpty();
        }

        int find(String uid) {
            for (int pod = 0; pod < pods.size(); pod++) {
                if (pods.get(pod).key().equals(PodKey.ofUid(uid))) {
                    return pod;
                }
            }
            throw new AssertionError("no pod " + uid);
        }

        int stage(int pod, Map<String, Integer> stages) {
            return pods.get(pod).nodeName().isEmpty()
                    ? -1
                    : stages.getOrDefault(pods.get(pod).name(), Integer.MAX_VALUE);
        }

        /** The least measures of all orders, the first step first. */
        List<Long> best(int count, Map<String, Integer> stages) {
            List<Long> best = new ArrayList<>();
            Set<Set<Integer>> reached = Set.of(Set.of());
            for (int step = 0; step < count; step++) {
                Map<Long, Set<Set<Integer>>> next = new HashMap<>();
                for (Set<Integer> gone : reached) {
                    int first = Integer.MAX_VALUE;
                    for (int pod = 0; pod < pods.size(); pod++) {
                        first = gone.contains(pod) ? first : Math.min(first, stage(pod, stages));
                    }
                    for (int pod = 0; pod < pods.size(); pod++) {
                        if (!gone.contains(pod) && stage(pod, stages) == first) {
                            Set<Integer> more = new HashSet<>(gone);
                            more.add(pod);
                            next.computeIfAbsent(measure(more), measure -> new HashSet<>())
                                    .add(more);
                        }
                    }
                }
                long least = next.keySet().stream().min(Long::compare).orElseThrow();
                best.add(least);
                reached = Objects.requireNonNull(next.get(least));
            }
            return best;
        }

        long measure(Set<Integer> gone) {
            return known.computeIfAbsent(
                    Set.copyOf(gone),
                    without -> skews(without).entrySet().stream()
                            .mapToLong(each -> each.getValue()
                                    + 1_000L
                                            * Math.max(
                                                    0,
                                                    each.getValue()
                                                            - each.getKey()
                                                                    .source
                                                                    .maxSkew()))
                            .sum());
        }

        private Map<Constraint, Long> skews(Set<Integer> without) {
            Overlay overlay =
                    new Overlay(without.stream().map(pod -> pods.get(pod).key()).toList(), List.of());
            Map<Constraint, Long> skews = new HashMap<>();
            for (Map<String, String> labels :
                    pods.stream().map(StoredPod::labels).collect(Collectors.toSet())) {
                StoredPod example = pods.stream()
                        .filter(pod -> pod.labels().equals(labels))
                        .findFirst()
                        .orElseThrow();
                WorkloadReader.Reading reading = reader.read(example);
                Explanation explanation = engine.explain(
                        engine.plan(Objects.requireNonNull(reading.pod()), reading.defaults()),
                        NodeSubset.ALL,
                        EntryRules.NONE,
                        overlay,
                        Integer.MAX_VALUE,
                        StopSignal.NEVER);
                for (Explanation.ConstraintState state : explanation.constraints()) {
                    long maximum = state.domains().stream()
                            .filter(Explanation.DomainState::eligible)
                            .mapToLong(Explanation.DomainState::matchingPods)
                            .max()
                            .orElse(0);
                    skews.put(
                            new Constraint(state.source(), String.valueOf(state.selector())),
                            maximum - state.minimum());
                }
            }
            return skews;
        }
    }

    /** The pods that are neither terminating nor finished. */
    private static List<StoredPod> pods(SpreadEngine engine) {
        List<StoredPod> pods = new ArrayList<>();
        for (int pod = 0; pod < engine.store.pods.limit(); pod++) {
            if (engine.store.pods.isLive(pod) && engine.store.pods.counts(pod)) {
                int id = pod;
                pods.add(engine.view(cluster -> cluster.pod(id)));
            }
        }
        return pods;
    }
}
