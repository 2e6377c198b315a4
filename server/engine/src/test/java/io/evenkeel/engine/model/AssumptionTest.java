package io.evenkeel.engine.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.EngineLayout;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.AssumedPods;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AssumptionTest {
    private static final String HOSTNAME = "kubernetes.io/hostname";

    @Test
    void assume_countsTheLabelsReportedLast_whenThePodIsKnownFromAnAssumptionAlone() {
        SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
        engine.write(writer -> {
            writer.apply(Change.ADDED, node("a"));
            writer.apply(Change.ADDED, node("b"));
            writer.assume(pod(Map.of("app", "old")), "a", null);
            writer.assume(pod(Map.of("app", "new")), "b", null);
        });
        assertEquals(List.of(0, 1), countsOf("new", engine));
        assertEquals(List.of(0, 0), countsOf("old", engine));
        IndexValidator.validate(engine);
    }

    @Test
    void assume_reportsThatThePodCountsNowhere_ifItIsTerminatingOrFinished() {
        SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
        engine.write(writer -> {
            writer.apply(Change.ADDED, node("a"));
            writer.apply(Change.ADDED, ended("terminating", true, false));
            writer.apply(Change.ADDED, ended("finished", false, true));
        });
        for (String name : List.of("terminating", "finished")) {
            // Labels and state of a pod that the watch has shown are those of the watch.
            assertEquals(Assumption.NOT_COUNTED, assume(ended(name, false, false), "a", engine), name);
        }
        assertEquals(Assumption.NOT_COUNTED, assume(ended("unseen", true, false), "nowhere", engine));
        assertEquals(3, engine.status().assumedPods());
        assertEquals(0, engine.status().countedPods());
        IndexValidator.validate(engine);
    }

    private static Assumption assume(PodObject pod, String node, SpreadEngine engine) {
        Assumption[] assumption = new Assumption[1];
        long before = engine.revision();
        engine.write(writer -> assumption[0] = writer.assume(pod, node, null));
        assertEquals(before + 1, engine.revision());
        return assumption[0];
    }

    private static PodObject ended(String name, boolean terminating, boolean finished) {
        return new PodObject("shop", name, "uid-" + name, 0, Map.of(), "", terminating, finished);
    }

    /** Between two slices, pods are assumed, assumed again, forgotten and bound. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void assumptionsExpireOnce_whateverHappensBetweenSlices(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        AtomicLong now = new AtomicLong();
        SpreadEngine engine =
                new SpreadEngine(EngineOptions.defaults(), now::get, Capacity.LARGEST, EngineLayout.MIN_SLICES);
        engine.write(writer -> writer.apply(Change.ADDED, node("a")));
        Map<Integer, Long> until = new TreeMap<>();
        for (int pod = 0; pod < 400; pod++) {
            assume(pod, now.get() + random.nextInt(1, 100), now, engine, until);
        }
        now.set(60);
        int slices = 0;
        int expired = 0;
        boolean more = true;
        while (more) {
            int before = engine.status().assumedPods();
            more = expire(engine);
            int gone = before - engine.status().assumedPods();
            assertTrue(gone == 0 || gone == 1, "gone in one slice: " + gone);
            expired += gone;
            slices++;
            int pod = random.nextInt(500);
            switch (random.nextInt(4)) {
                case 0 -> assume(pod, now.get() + random.nextInt(1, 100), now, engine, until);
                case 1 -> {
                    engine.write(writer -> writer.forget("uid-" + pod));
                    until.remove(pod);
                }
                case 2 -> {
                    engine.write(writer -> writer.apply(Change.ADDED, pod(pod, "a")));
                    until.remove(pod);
                }
                default -> now.incrementAndGet();
            }
        }
        assertTrue(expired > 100 && slices > AssumedPods.PARTS, expired + " in " + slices + " slices");
        while (expire(engine)) {
            slices++;
        }
        until.values().removeIf(time -> time <= now.get());
        assertEquals(until.size(), engine.status().assumedPods());
        now.set(Long.MAX_VALUE / 2);
        while (expire(engine)) {
            slices++;
        }
        assertEquals(0, engine.status().assumedPods());
        IndexValidator.validate(engine);
    }

    /** Returns whether more is to be done. */
    private static boolean expire(SpreadEngine engine) {
        boolean[] more = new boolean[1];
        engine.write(writer -> {
            writer.expireAssumptions();
            more[0] = writer.isExpiring();
        });
        return more[0];
    }

    private static void assume(int pod, long until, AtomicLong now, SpreadEngine engine, Map<Integer, Long> all) {
        engine.write(writer -> {
            Duration timeToLive = Duration.ofNanos(until - now.get());
            if (writer.assume(pod(pod, ""), "a", timeToLive) == Assumption.COUNTED) {
                all.put(pod, until);
            }
        });
    }

    private static PodObject pod(int number, String node) {
        return new PodObject("shop", "web-" + number, "uid-" + number, 0, Map.of(), node, false, false);
    }

    private static List<Integer> countsOf(String app, SpreadEngine engine) {
        SpreadConstraint constraint = new SpreadConstraint(
                1, HOSTNAME, true, PodSelector.ofLabels(Map.of("app", app)), List.of(), 0, true, false);
        IncomingPod pod = new IncomingPod("shop", Map.of(), Map.of(), null, List.of(), List.of(constraint), null);
        PodPlan plan = engine.plan(pod, SpreadDefaults.NONE);
        return engine
                .explain(plan, NodeSubset.ALL, EntryRules.NONE, Overlay.NONE, 100, StopSignal.NEVER)
                .constraints()
                .get(0)
                .domains()
                .stream()
                .map(Explanation.DomainState::matchingPods)
                .toList();
    }

    private static NodeObject node(String name) {
        return new NodeObject(name, "uid-" + name, 1, Map.of(HOSTNAME, name), List.of(), false);
    }

    private static PodObject pod(Map<String, String> labels) {
        return new PodObject("shop", "web", "uid-web", 0, labels, "", false, false);
    }
}
