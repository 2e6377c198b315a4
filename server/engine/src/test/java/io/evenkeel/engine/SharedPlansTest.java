package io.evenkeel.engine;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.soft;
import static io.evenkeel.engine.script.World.web;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests plans that several threads ask for and drop at the same time. */
final class SharedPlansTest {
    private static final int THREADS = 3;
    private static final int ROUNDS = 20_000;

    @Test
    @Tag("long")
    void whatPlansRestOn_isLetGoOnce_whenThreadsPushEachOthersPlansOut() throws Exception {
        SpreadEngine engine = new SpreadEngine(EngineOptions.defaults().withMaxPlans(1));
        engine.write(batch -> {
            for (String zone : List.of("z1", "z2")) {
                batch.apply(
                        Change.ADDED,
                        new NodeObject(zone, zone, 0, Map.of(ZONE, zone, HOSTNAME, zone), List.of(), false));
            }
            batch.apply(Change.ADDED, new PodObject(NAMESPACE, "p", "p", 0, WEB, "z1", false, false));
        });
        List<IncomingPod> pods = List.of(web(hard(ZONE), soft(HOSTNAME)), web(hard(ZONE)), web(soft(HOSTNAME)));
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread;
                running.add(threads.submit(() -> {
                    Answer answer = new Answer();
                    for (int i = 0; i < ROUNDS; i++) {
                        PodPlan plan = engine.plan(pods.get((first + i) % pods.size()), SpreadDefaults.NONE);
                        engine.evaluate(plan, Question.evaluate(NodeSubset.ALL, 1), answer);
                        assertEquals("z2", answer.names().name(answer.best(0)));
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        IndexValidator.validate(engine);
        engine.plan(web(), SpreadDefaults.NONE);
        EngineStatus status = engine.status();
        assertEquals(List.of(1, 0, 0), List.of(status.plans(), status.spreadGroups(), status.selectors()));
    }
}
