package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.script.Answers;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Verdict;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.Messages;
import io.evenkeel.placement.Queries;
import io.evenkeel.placement.call.ObjectKinds;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.StatusCode;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.QueryOptions;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests answers while a feed changes the state. Each answer is compared with the model at the versions that it reports.
 */
@Timeout(120)
final class FreshnessConcurrencyTest {
    private static final int SEEDS = 4;
    private static final int STEPS = 600;
    private static final int READERS = 2;
    private static final int STEPS_A_QUESTION = 3;

    private static final IncomingPod POD = new IncomingPod(
            "shop",
            Map.of("app", "web"),
            Map.of(),
            null,
            List.of(),
            List.of(new SpreadConstraint(
                    1,
                    Messages.ZONE,
                    true,
                    new PodSelector(List.of(new LabelRequirement("app", LabelRequirement.Operator.IN, List.of("web")))),
                    List.of(),
                    0,
                    true,
                    false)),
            null);

    private static final EvaluateRequest QUESTION = EvaluateRequest.newBuilder()
            .addPods(PlacementSubject.message(POD))
            .setOptions(QueryOptions.newBuilder()
                    .setEveryNode(true)
                    .setCandidates(Candidates.newBuilder().setAll(AllNodes.getDefaultInstance())))
            .setFreshness(Freshness.newBuilder().setIncludeResourceVersions(true))
            .build();

    @Test
    void answersAmongWrites_areTheModelsAtTheVersionsThatTheyName() throws Exception {
        int compared = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            compared += play(seed);
        }
        assertTrue(compared > SEEDS, compared + " answers named all versions");
    }

    private static int play(int seed) throws Exception {
        ConcurrentLinkedQueue<EvaluateResponse> seen = new ConcurrentLinkedQueue<>();
        AtomicInteger asked = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(READERS);
        try (Instance instance = new Instance(InstanceOptions.standard())) {
            FeedScript script = new FeedScript(instance, new RandomChoices(seed));
            Callable<Void> reader = () -> {
                try {
                    while (!over.get()) {
                        try {
                            seen.add(ask(instance));
                        } catch (RequestException refused) {
                            // Before the first snapshots are complete.
                            assertEquals(StatusCode.UNAVAILABLE, refused.code(), refused::getMessage);
                        }
                        asked.incrementAndGet();
                    }
                } finally {
                    over.set(true);
                }
                return null;
            };
            List<Future<Void>> readers = List.of(threads.submit(reader), threads.submit(reader));
            for (int step = 0; step < STEPS && !over.get(); step++) {
                script.step();
                // Some steps happen during a query, and some between two.
                int before = asked.get();
                while (step % STEPS_A_QUESTION == 0 && asked.get() == before && !over.get()) {
                    Thread.onSpinWait();
                }
            }
            over.set(true);
            script.closeAll();
            for (Future<Void> each : readers) {
                each.get();
            }
            IndexValidator.validate(instance.engine());
            Map<Map<ObjectKind, Long>, Map<String, Verdict>> models = new HashMap<>();
            int compared = 0;
            for (EvaluateResponse answer : seen) {
                Map<ObjectKind, Long> told = versions(answer);
                if (told.keySet().containsAll(ApiHistory.KINDS)) {
                    compared++;
                    assertEquals(
                            models.computeIfAbsent(told, at -> model(script, at)),
                            verdicts(answer),
                            () -> "seed " + seed + " at " + told);
                }
            }
            return compared;
        } finally {
            threads.shutdownNow();
        }
    }

    private static EvaluateResponse ask(Instance instance) {
        return Queries.of(instance.placement()).prepare(QUESTION).answer();
    }

    private static Map<String, Verdict> model(FeedScript script, Map<ObjectKind, Long> at) {
        return ((Answers.Placement)
                        script.api.modelAt(at).ask(new ScriptedQuery.Placement(POD, SpreadDefaults.SYSTEM, null)))
                .verdicts();
    }

    private static Map<String, Verdict> verdicts(EvaluateResponse answer) {
        Map<String, Verdict> verdicts = new TreeMap<>();
        answer.getAnswers(0)
                .getReadable()
                .getVerdictsList()
                .forEach(node -> verdicts.put(node.getName(), PlacementSubject.verdict(node)));
        return verdicts;
    }

    private static Map<ObjectKind, Long> versions(EvaluateResponse answer) {
        Map<ObjectKind, Long> versions = new EnumMap<>(ObjectKind.class);
        versions.putAll(ObjectKinds.ofVersions(answer.getResourceVersionsList(), false, "told"));
        return versions;
    }
}
