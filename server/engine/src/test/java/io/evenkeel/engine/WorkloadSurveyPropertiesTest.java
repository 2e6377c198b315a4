package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.index.AffinityMatcher;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.script.ChangeGenerator;
import io.evenkeel.engine.script.QueryGenerator;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Seeds;
import io.evenkeel.engine.script.Universe;
import io.evenkeel.engine.skew.ConstraintCounts;
import io.evenkeel.engine.skew.KnownWorkloads;
import io.evenkeel.engine.skew.SurveyedWorkloads;
import io.evenkeel.engine.skew.WorkloadCounts;
import io.evenkeel.engine.skew.WorkloadName;
import io.evenkeel.engine.skew.WorkloadReader;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests in random clusters that the counts of workloads are those that explanations of their pods have, also if a
 * survey uses what the one before has read, and that it changes nothing in the engine.
 */
final class WorkloadSurveyPropertiesTest {
    private static final String REVISION = "pod-template-hash";
    private static final int STEPS = 150;
    private static final int SURVEYS = 4;
    private static final int STEPS_BETWEEN = 6;
    private static final int TEMPLATES = 5;

    /**
     * Each of the few templates of {@link EngineSubject} asks for what a random pod does. Templates 0 to 2 are of one
     * workload, 3 is of another, and the pods of 4 have no controller.
     */
    private static final class Reader implements WorkloadReader {
        private final List<ScriptedQuery> asked = new ArrayList<>();
        private int reads;

        @Override
        public Set<String> keys() {
            return Set.of(REVISION);
        }

        @Override
        public Reading read(StoredPod stored) {
            reads++;
            int template = stored.template().length;
            IncomingPod asks = asked.get(template).pod();
            return new Reading(
                    template == 4
                            ? null
                            : new WorkloadName(stored.namespace(), "Deployment", template < 3 ? "web" : "other"),
                    null,
                    stored.labels().getOrDefault(REVISION, ""),
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

    /** What a constraint counts, by the names of values. */
    private record Figures(
            int index,
            String selector,
            int minimum,
            int maximum,
            long excess,
            int own,
            int others,
            Map<String, Integer> domains) {}

    private record Key(WorkloadName workload, String revision) {}

    @Test
    void counts_areThoseOfExplanations() {
        int constraints = 0;
        int without = 0;
        int withoutReading = 0;
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
            KnownWorkloads known = KnownWorkloads.NONE;
            for (int survey = 0; survey < SURVEYS; survey++) {
                int readBefore = reader.reads;
                SurveyedWorkloads surveyed = survey(subject.engine(), reader, known);
                known = surveyed.known();
                withoutReading += reader.reads == readBefore ? 1 : 0;
                int at = seed;
                assertCounts(subject.engine(), reader, surveyed, () -> "seed " + at);
                constraints += constraints(surveyed, source -> source != null);
                without += constraints(surveyed, source -> source == null);
                for (int step = dice.below(STEPS_BETWEEN); step > 0; step--) {
                    subject.apply(changes.next());
                }
            }
        }
        assertTrue(constraints > (Seeds.END - Seeds.FIRST) * 4, "constraints: " + constraints);
        assertTrue(without > Seeds.END - Seeds.FIRST, "workloads without constraints: " + without);
        assertTrue(withoutReading > (Seeds.END - Seeds.FIRST) / 2, "surveys without reading: " + withoutReading);
    }

    private static SurveyedWorkloads survey(SpreadEngine engine, Reader reader, KnownWorkloads known) {
        EngineStatus before = engine.status();
        SurveyedWorkloads surveyed =
                engine.survey(reader, namespace -> true, known, name -> true, domains -> {}, StopSignal.NEVER);
        assertEquals(before, engine.status());
        assertEquals(engine.revision(), surveyed.revision());
        return surveyed;
    }

    /** How many constraints have such a source. */
    private static int constraints(SurveyedWorkloads surveyed, Predicate<@Nullable SpreadConstraint> source) {
        return (int) surveyed.workloads().stream()
                .flatMap(workload -> workload.templates().stream())
                .flatMap(template -> template.constraints().stream())
                .filter(each -> source.test(each.source()))
                .count();
    }

    private static void assertCounts(
            SpreadEngine engine, Reader reader, SurveyedWorkloads surveyed, Supplier<String> context) {
        List<StoredPod> pods = pods(engine);
        assertEquals(pods.stream().map(StoredPod::namespace).collect(Collectors.toSet()), surveyed.namespaces());
        Map<Key, Set<List<Figures>>> expected = new HashMap<>();
        for (StoredPod pod : pods) {
            WorkloadReader.Reading reading = reader.read(pod);
            if (reading.workload() != null) {
                expected.computeIfAbsent(new Key(reading.workload(), reading.revision()), key -> new HashSet<>())
                        .add(explained(engine, reader, reading, pods));
            }
        }
        Map<Key, Set<List<Figures>>> given = new HashMap<>();
        for (WorkloadCounts workload : surveyed.workloads()) {
            long own = pods.stream()
                    .filter(pod -> workload.name().equals(reader.read(pod).workload()))
                    .count();
            assertEquals(own, workload.pods());
            assertEquals(
                    workload.pods(),
                    workload.templates().stream()
                            .mapToInt(WorkloadCounts.Template::pods)
                            .sum());
            assertEquals(
                    workload.pending(),
                    workload.templates().stream()
                            .mapToInt(WorkloadCounts.Template::pending)
                            .sum());
            for (WorkloadCounts.Template template : workload.templates()) {
                given.computeIfAbsent(new Key(workload.name(), template.revision()), key -> new HashSet<>())
                        .add(template.constraints().stream()
                                .map(WorkloadSurveyPropertiesTest::figures)
                                .toList());
            }
        }
        // A workload with one pod and without constraints is not listed.
        expected.values().removeIf(figures -> figures.equals(Set.of(List.of())));
        assertEquals(expected, given, context);
    }

    private static Figures figures(ConstraintCounts counts) {
        Map<String, Integer> domains = new TreeMap<>();
        counts.listed().forEach(domain -> assertEquals(null, domains.put(domain.value(), domain.pods())));
        assertEquals(counts.domains(), domains.size());
        return new Figures(
                counts.index(),
                String.valueOf(counts.selector()),
                counts.minimum(),
                counts.maximum(),
                counts.excess(),
                counts.own(),
                counts.others(),
                domains);
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

    private static List<Figures> explained(
            SpreadEngine engine, Reader reader, WorkloadReader.Reading reading, List<StoredPod> pods) {
        IncomingPod pod = Objects.requireNonNull(reading.pod());
        Explanation explanation = engine.explain(
                engine.plan(pod, reading.defaults()),
                NodeSubset.ALL,
                EntryRules.NONE,
                Overlay.NONE,
                Integer.MAX_VALUE,
                StopSignal.NEVER);
        List<Figures> all = new ArrayList<>();
        for (Explanation.ConstraintState state : explanation.constraints()) {
            Map<String, Integer> domains = new TreeMap<>();
            state.domains().stream()
                    .filter(Explanation.DomainState::eligible)
                    .forEach(domain -> domains.put(domain.value(), domain.matchingPods()));
            int own = Objects.requireNonNull(state.counted()).groups().stream()
                    .filter(group -> isOf(reading.workload(), reader.read(group.example())))
                    .mapToInt(Explanation.PodsAlike::pods)
                    .sum();
            all.add(figures(
                    state.index(),
                    String.valueOf(state.selector()),
                    state.minimum(),
                    state.source().maxSkew(),
                    own,
                    domains));
        }
        long replicas = pods.stream()
                .filter(each -> isOf(reading.workload(), reader.read(each)))
                .count();
        if (all.isEmpty() && replicas > 1) {
            for (String key : List.of(Universe.ZONE, Universe.HOSTNAME)) {
                Map<String, Integer> domains =
                        engine.view(cluster -> unconstrained(cluster, engine, reader, reading, pods, key));
                int minimum =
                        domains.values().stream().mapToInt(count -> count).min().orElse(0);
                int own = domains.values().stream().mapToInt(count -> count).sum();
                all.add(figures(-1, "null", minimum, Integer.MAX_VALUE, own, domains));
            }
        }
        return all;
    }

    private static boolean isOf(@Nullable WorkloadName workload, WorkloadReader.Reading reading) {
        return workload != null && workload.equals(reading.workload());
    }

    private static Figures figures(
            int index, String selector, int minimum, int maxSkew, int own, Map<String, Integer> domains) {
        int sum = domains.values().stream().mapToInt(count -> count).sum();
        int maximum = domains.values().stream().mapToInt(count -> count).max().orElse(0);
        long excess = domains.values().stream()
                .mapToLong(count -> Math.max(0, (long) count - minimum - maxSkew))
                .sum();
        return new Figures(index, selector, minimum, maximum, excess, own, sum - own, domains);
    }

    /** Recounts the pods of a workload on nodes that have the key and that match the affinity of one of its pods. */
    private static Map<String, Integer> unconstrained(
            ClusterView cluster,
            SpreadEngine engine,
            Reader reader,
            WorkloadReader.Reading reading,
            List<StoredPod> pods,
            String key) {
        IncomingPod pod = Objects.requireNonNull(reading.pod());
        AffinityMatcher matcher = new AffinityMatcher(pod.nodeSelector(), pod.affinityTerms(), engine.store.strings);
        Map<String, Integer> domains = new TreeMap<>();
        for (int slot = 0; slot < cluster.nodeNames().limit(); slot++) {
            String name = cluster.nodeNames().name(slot);
            String value = name == null ? null : value(cluster, matcher, name, key);
            if (value != null) {
                domains.putIfAbsent(value, 0);
            }
        }
        for (StoredPod each : pods) {
            if (isOf(reading.workload(), reader.read(each)) && cluster.slotOfNode(each.nodeName()) != NodeSlots.NONE) {
                String value = value(cluster, matcher, each.nodeName(), key);
                if (value != null) {
                    domains.merge(value, 1, Integer::sum);
                }
            }
        }
        return domains;
    }

    /** The domain of a node; null if it is in none, or is not eligible. */
    private static @Nullable String value(ClusterView cluster, AffinityMatcher matcher, String node, String key) {
        return matcher.matches(cluster.attributes(cluster.slotOfNode(node)))
                ? Objects.requireNonNull(cluster.node(node)).labels().get(key)
                : null;
    }
}
