package io.evenkeel.engine.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.EngineStatus;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.PagedSpace;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests full tables: an object without room is rejected, and the engine is as if it had never seen the object. */
final class CapacityTest {
    private static final int STEPS = 400;
    private static final int FEW = 12;

    /** The table that fills up first. */
    // A record of numbers, which is immutable but not annotated so.
    @SuppressWarnings("ImmutableEnumChecker")
    enum Wall {
        TEXTS(new Capacity(1, 100, 1_000, 10_000)),
        TEMPLATES(new Capacity(4, 100, 1_000, 10_000)),
        CLASSES(new Capacity(100, 1, 1_000, 10_000)),
        HOSTS(new Capacity(100, 100, FEW, 10_000)),
        PODS(new Capacity(100, 100, 1_000, 5 * FEW));

        final Capacity capacity;

        Wall(Capacity capacity) {
            this.capacity = capacity;
        }
    }

    private final Map<String, Integer> refusals = new HashMap<>();
    private int taken;

    @ParameterizedTest
    @EnumSource(Wall.class)
    void engineThatRefused_isAsOneThatWasNeverReported(Wall wall) {
        for (long seed = 0; seed < 3; seed++) {
            play(wall, seed);
        }
        assertTrue(taken > STEPS, taken + " changes had room");
        assertTrue(refusals.values().stream().mapToInt(Integer::intValue).sum() > 10, "refused: " + refusals);
        if (wall == Wall.TEXTS) {
            assertEquals(4, refusals.size(), "refused: " + refusals);
        }
    }

    private void play(Wall wall, long seed) {
        Random random = new Random(seed);
        Random templates = new Random(~seed);
        SpreadEngine full = new SpreadEngine(EngineOptions.defaults().withMaxPlans(8), System::nanoTime, wall.capacity);
        SpreadEngine roomy = new SpreadEngine(EngineOptions.defaults().withMaxPlans(8));
        // Long texts soon fill a page of texts, many labels a page of classes.
        int length = wall == Wall.TEXTS ? 900 : 3;
        int labels = wall == Wall.CLASSES ? 240 : 3;
        for (int step = 0; step < STEPS; step++) {
            int kind = random.nextInt(10);
            if (kind < 2) {
                NodeObject node = node(random, length);
                Change change = random.nextInt(3) == 0 ? Change.DELETED : Change.LISTED;
                tell("node", full, roomy, writer -> writer.apply(change, node) ? 1 : 0);
            } else if (kind < 7) {
                PodObject pod = pod(random, length, labels);
                // Deletions of unknown objects are forgotten when the table is full, and are not asked about here.
                boolean known = World.whatIf(full, plan(full), "n", List.of(PodKey.ofUid(pod.uid())), List.of())
                        .unknown()
                        .isEmpty();
                Change change = known && random.nextInt(2) == 0 ? Change.DELETED : Change.LISTED;
                PodRecord record = record(pod, templates, wall);
                tell("pod", full, roomy, writer -> writer.apply(change, record) ? 1 : 0);
            } else if (kind < 9) {
                PodObject pod = pod(random, length, labels);
                String node = name("node", random, length);
                PodRecord record = record(pod, templates, wall);
                tell(
                        "assumption",
                        full,
                        roomy,
                        writer -> writer.assume(record, node, null).ordinal());
            } else {
                ask(full, roomy, random, length);
            }
            if (step % 50 == 0) {
                IndexValidator.validate(full);
            }
        }
        IndexValidator.validate(full);
        IndexValidator.validate(roomy);
        assertEquals(contents(roomy), contents(full), wall + ", seed " + seed);
        for (int number = 0; number < 8 * FEW; number++) {
            PodKey key = PodKey.ofUid(uid(number, length));
            assertArrayEquals(template(roomy, key), template(full, key), wall + ", seed " + seed);
        }
        for (int number = 0; number < FEW; number++) {
            String app = text(number, length);
            assertEquals(counts(roomy, app), orNone(() -> counts(full, app), counts(roomy, app)), app);
        }
    }

    private void tell(String what, SpreadEngine full, SpreadEngine roomy, ToLongFunction<ClusterWriter> change) {
        long[] result = new long[2];
        long before = full.revision();
        try {
            full.write(writer -> result[0] = change.applyAsLong(writer));
        } catch (CapacityException refused) {
            assertEquals(before, full.revision());
            refusals.merge(what, 1, Integer::sum);
            return;
        }
        taken++;
        roomy.write(writer -> result[1] = change.applyAsLong(writer));
        assertEquals(result[1], result[0], what);
    }

    private void ask(SpreadEngine full, SpreadEngine roomy, Random random, int length) {
        String app = text(random.nextInt(3 * FEW), length);
        try {
            assertEquals(counts(roomy, app), counts(full, app));
            taken++;
        } catch (CapacityException refused) {
            refusals.merge("question", 1, Integer::sum);
        }
    }

    private interface Asked {
        Map<String, Integer> counts();
    }

    private static Map<String, Integer> orNone(Asked asked, Map<String, Integer> none) {
        try {
            return asked.counts();
        } catch (CapacityException refused) {
            return none;
        }
    }

    private static Map<String, Integer> counts(SpreadEngine engine, String app) {
        SpreadConstraint constraint = new SpreadConstraint(
                1, World.ZONE, true, PodSelector.ofLabels(Map.of("app", app)), List.of(), 0, true, false);
        IncomingPod pod = new IncomingPod("shop", Map.of(), Map.of(), null, List.of(), List.of(constraint), null);
        PodPlan plan = engine.plan(pod, SpreadDefaults.NONE);
        Map<String, Integer> counts = new TreeMap<>();
        engine.explain(plan, NodeSubset.ALL, EntryRules.NONE, Overlay.NONE, 100, StopSignal.NEVER)
                .constraints()
                .get(0)
                .domains()
                .forEach(domain -> counts.put(domain.value(), domain.matchingPods()));
        return counts;
    }

    /** A plan that needs no text. */
    private static PodPlan plan(SpreadEngine engine) {
        return engine.plan(
                new IncomingPod("shop", Map.of(), Map.of(), null, List.of(), List.of(), null), SpreadDefaults.NONE);
    }

    private static List<Integer> contents(SpreadEngine engine) {
        EngineStatus status = engine.status();
        return List.of(
                status.nodes(),
                status.pods(),
                status.countedPods(),
                status.assumedPods(),
                status.podsOnUnknownNodes(),
                status.labelClasses());
    }

    private static NodeObject node(Random random, int length) {
        return new NodeObject(
                name("node", random, length),
                "uid-" + random.nextInt(FEW),
                0,
                Map.of(World.ZONE, "z" + random.nextInt(3), "of-its-own", text(random.nextInt(100), length)),
                List.of(),
                false);
    }

    private static PodObject pod(Random random, int length, int labels) {
        int number = random.nextInt(8 * FEW);
        Map<String, String> map = new HashMap<>();
        map.put("app", text(random.nextInt(FEW), length));
        for (int i = 1; i < labels; i++) {
            map.put("key-" + i, "value-" + random.nextInt(9));
        }
        return new PodObject(
                random.nextInt(4) == 0 ? "bank-" + random.nextInt(3) : "shop",
                name("pod", random, length),
                uid(number, length),
                0,
                map,
                random.nextInt(3) == 0 ? "" : name("node", random, length),
                random.nextInt(9) == 0,
                false);
    }

    private static String uid(int number, int length) {
        return number % 2 == 0 ? new UUID(1, number).toString() : text(number, length);
    }

    /** The pod with one of a few templates, which soon fill a page if pages are the limit. */
    private static PodRecord record(PodObject pod, Random random, Wall wall) {
        PodRecord record = PodRecord.of(pod);
        boolean isWall = wall == Wall.TEMPLATES;
        byte[] template = text(random.nextInt(isWall ? 20 * FEW : 3), isWall ? 900 + random.nextInt(2) * 1_100 : 0)
                .getBytes(StandardCharsets.UTF_8);
        record.setTemplate(PodTemplate.of(template, 0, template.length));
        return record;
    }

    private static byte[] template(SpreadEngine engine, PodKey key) {
        StoredPod pod = engine.pod(key);
        return pod == null ? new byte[0] : pod.template();
    }

    private static String name(String kind, Random random, int length) {
        return kind + text(random.nextInt(2 * FEW), length);
    }

    private static String text(int number, int length) {
        return "x".repeat(length) + number;
    }

    // ---- each wall by itself

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void pagesThatAreFull_takeWhatFitsIntoTheirHoles(int pages) {
        PagedSpace space = new PagedSpace("things", pages);
        List<Integer> taken = new ArrayList<>();
        for (boolean full = false; !full; ) {
            try {
                taken.add(space.take(200));
            } catch (CapacityException e) {
                assertTrue(
                        String.valueOf(e.getMessage()).contains("no room for more things: all " + pages + " pages"),
                        e.getMessage());
                full = true;
            }
        }
        assertEquals(pages * ((1 << 14) / 200), taken.size());
        assertThrows(CapacityException.class, () -> space.take(200));
        assertThrows(CapacityException.class, () -> space.take(1_000), "a page of its own");
        space.give(taken.get(3), 200);
        assertEquals(taken.get(3), space.take(200));
        // The rest of the last page.
        space.take(100);
    }

    @Test
    void page_thatIsGivenBack_hasRoomAgain() {
        PagedSpace space = new PagedSpace("things", 1);
        int own = space.take(1_000);
        assertThrows(CapacityException.class, () -> space.take(1));
        space.give(own, 1_000);
        space.take(1);
    }

    @Test
    void addressesOfTheLastPage_fitAHashCell() {
        assertTrue(((long) PagedSpace.MAX_PAGES << 14) - 1 < IdTable.LIMIT);
        assertTrue((PodTable.HOST_LIMIT - 1) << 8 >> 8 == PodTable.HOST_LIMIT - 1);
    }
}
