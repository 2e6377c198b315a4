package io.evenkeel.engine;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests large groups, whose pods are scanned in many slices: two threads build them while others read and write. */
final class FirstSightConcurrencyTest {
    private static final int NODES = 64;
    private static final int PODS = 30_000;
    private static final int SIGHTS = 150;
    private static final int EVENTS_A_WRITE = 16;
    private static final Question ALL = Question.evaluate(NodeSubset.ALL, 0);

    private final SpreadEngine engine =
            new SpreadEngine(EngineOptions.defaults().withMaxPlans(64));

    @Test
    void pods_areCountedAsThoseOfAnEqualSelector_whileTheyComeAndGo() throws Exception {
        engine.write(batch -> {
            for (int node = 0; node < NODES; node++) {
                Map<String, String> labels = Map.of(HOSTNAME, "node-" + node, ZONE, "zone-" + node % 3);
                batch.apply(Change.ADDED, new NodeObject("node-" + node, "uid-" + node, 0, labels, List.of(), false));
            }
            for (int pod = 0; pod < PODS; pod++) {
                batch.apply(Change.ADDED, pod(pod, pod * pod % NODES));
            }
        });
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> running = new ArrayList<>();
            running.add(threads.submit(() -> move(over)));
            running.add(threads.submit(() -> ask(over)));
            List<Future<?>> builders = new ArrayList<>();
            for (int builder = 0; builder < 2; builder++) {
                int number = builder;
                builders.add(threads.submit(() -> see(number)));
            }
            for (Future<?> each : builders) {
                each.get();
            }
            over.set(true);
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
        IndexValidator.validate(engine);
    }

    /** Adds and removes pods. */
    private void move(AtomicBoolean over) {
        SplittableRandom random = new SplittableRandom(1);
        while (!over.get()) {
            engine.write(batch -> {
                for (int i = 0; i < EVENTS_A_WRITE; i++) {
                    int pod = random.nextInt(PODS);
                    batch.apply(random.nextBoolean() ? Change.ADDED : Change.DELETED, pod(pod, random.nextInt(NODES)));
                }
            });
        }
    }

    private void ask(AtomicBoolean over) {
        Answer answer = new Answer();
        while (!over.get()) {
            engine.evaluate(engine.plan(asking("known"), SpreadDefaults.NONE), ALL, answer);
            assertEquals(NODES, answer.names().limit());
        }
    }

    /** Asks with new words and with known ones, from one revision. */
    private void see(int builder) {
        Answer answer = new Answer();
        for (int sight = 0; sight < SIGHTS; sight++) {
            List<PodPlan> plans = new ArrayList<>();
            for (String word : List.of("known", builder + "-" + sight)) {
                plans.add(engine.plan(asking(word), SpreadDefaults.NONE));
            }
            byte[][] seen = new byte[2][];
            engine.evaluate(
                    plans,
                    ALL,
                    answer,
                    (each, place) -> {
                        byte[] bytes = new byte[each.bitSetBytes() + NODES];
                        each.copyPassed(bytes, 0);
                        each.copyScores(bytes, each.bitSetBytes());
                        seen[place] = bytes;
                    },
                    StopSignal.NEVER);
            assertArrayEquals(seen[0], seen[1], "first sight " + sight + " of thread " + builder);
        }
    }

    /** A constraint that counts the pods of {@link World#WEB}, by a different selector for each word. */
    private static IncomingPod asking(String word) {
        LabelRequirement notSo = new LabelRequirement("word", LabelRequirement.Operator.NOT_IN, List.of(word));
        PodSelector selector = PodSelector.ofLabels(WEB).and(new PodSelector(List.of(notSo)));
        List<SpreadConstraint> constraints = List.of(
                new SpreadConstraint(30, ZONE, true, selector, List.of(), 0, true, false),
                new SpreadConstraint(20, HOSTNAME, true, selector, List.of(), 0, true, false),
                new SpreadConstraint(1, ZONE, false, selector, List.of(), 0, true, false),
                new SpreadConstraint(1, HOSTNAME, false, selector, List.of(), 0, true, false));
        return new IncomingPod(NAMESPACE, WEB, Map.of(), null, List.of(), constraints, null);
    }

    private static PodObject pod(int number, int node) {
        return new PodObject(NAMESPACE, "pod-" + number, "uid-" + number, 0, WEB, "node-" + node, false, false);
    }
}
