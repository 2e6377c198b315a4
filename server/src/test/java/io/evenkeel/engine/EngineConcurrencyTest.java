package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writers and readers at once. Writers log each step under the lock with the revision that it led to; readers note what they were answered and at which revision. Afterwards
 * the model is taken through the log, and each answer is held against the model's at the revision that the answer names.
 */
final class EngineConcurrencyTest {
    private static final int STEPS = 1_500;
    private static final int ANSWERS_KEPT = 3_000;

    /** Nanoseconds in which readers come in. */
    private static final long BETWEEN_STEPS = 20_000;

    /** A step that changed something, and the revision that it led to. */
    private record Logged(Step step, long revision) {}

    /** What a reader saw. */
    private record Seen(
            Query.Placement query, long revision, Map<String, Verdict> verdicts, Map<String, Integer> scores) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void answers_equalTheModelsAtTheRevisionTheyName_whenWritersAndReadersRunAtOnce(long seed) throws Exception {
        Script script = Script.random(seed, STEPS, 0.2);
        List<Step> steps = script.acts().stream()
                .filter(Step.class::isInstance)
                .map(Step.class::cast)
                .toList();
        List<Query.Placement> queries = script.acts().stream()
                .filter(Query.Placement.class::isInstance)
                .map(Query.Placement.class::cast)
                .toList();
        AtomicLong now = new AtomicLong();
        SpreadEngine engine = new SpreadEngine(
                EngineOptions.defaults().withWideFrom((int) (seed % 2) * 3).withMaxPlans(8), now::get);
        List<Logged> log = new ArrayList<>();
        ConcurrentLinkedQueue<Seen> seen = new ConcurrentLinkedQueue<>();
        AtomicInteger nextStep = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Void>> running = new ArrayList<>();
            for (int writer = 0; writer < 2; writer++) {
                running.add(threads.submit(writer(engine, steps, nextStep, now, log)));
            }
            for (int reader = 0; reader < 2; reader++) {
                running.add(threads.submit(reader(engine, queries, reader, nextStep, seen)));
            }
            for (Future<Void> each : running) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        engine.validate();
        assertTrue(seen.size() > 100, "readers must have got answers while writers wrote, got " + seen.size());
        check(seed, log, seen);
    }

    private static Callable<Void> writer(
            SpreadEngine engine, List<Step> steps, AtomicInteger nextStep, AtomicLong now, List<Logged> log) {
        return () -> {
            while (nextStep.get() < steps.size()) {
                engine.write(writer -> {
                    // Within the write, so that no writer passes the other.
                    int next = nextStep.getAndIncrement();
                    if (next < steps.size()) {
                        EngineSubject.apply(steps.get(next), writer, now);
                        log.add(new Logged(steps.get(next), writer.revision()));
                    }
                });
                LockSupport.parkNanos(BETWEEN_STEPS);
            }
            return null;
        };
    }

    private static Callable<Void> reader(
            SpreadEngine engine,
            List<Query.Placement> queries,
            int first,
            AtomicInteger nextStep,
            ConcurrentLinkedQueue<Seen> seen) {
        return () -> {
            Answer answer = new Answer();
            for (int i = first; nextStep.get() < STEPS && seen.size() < ANSWERS_KEPT; i += 2) {
                Query.Placement query = queries.get(i % queries.size());
                Set<String> named = query.candidates();
                Candidates candidates = named == null ? Candidates.ALL : Candidates.named(named);
                engine.evaluate(engine.plan(query.pod(), query.defaults()), Question.evaluate(candidates, 0), answer);
                Map<String, Verdict> verdicts = new TreeMap<>();
                Map<String, Integer> scores = new TreeMap<>();
                for (int index = 0; index < answer.names().limit(); index++) {
                    String name = answer.names().name(index);
                    if (name != null && answer.isCandidate(index)) {
                        Reason reason = answer.reason(index);
                        verdicts.put(name, reason == null ? Verdict.SUCCESS : Verdict.failed(reason));
                        if (reason == null) {
                            scores.put(name, answer.score(index));
                        }
                    }
                }
                seen.add(new Seen(query, answer.revision(), verdicts, scores));
            }
            return null;
        };
    }

    private static void check(long seed, List<Logged> log, ConcurrentLinkedQueue<Seen> seen) {
        Map<Long, List<Seen>> byRevision = seen.stream().collect(Collectors.groupingBy(Seen::revision));
        ModelSubject model = new ModelSubject();
        check(seed, model, byRevision.remove(0L));
        for (int i = 0; i < log.size(); i++) {
            Logged logged = log.get(i);
            model.apply(logged.step());
            boolean last = i + 1 == log.size() || log.get(i + 1).revision() != logged.revision();
            if (last) {
                check(seed, model, byRevision.remove(logged.revision()));
            }
        }
        assertEquals(Map.of(), byRevision, "answers at revisions that no write led to");
    }

    private static void check(long seed, ModelSubject model, @Nullable List<Seen> seen) {
        if (seen == null) {
            return;
        }
        for (Seen each : seen) {
            Answers.Placement right = (Answers.Placement) model.ask(each.query());
            String where = "seed " + seed + ", revision " + each.revision() + ", " + each.query();
            assertEquals(right.verdicts(), each.verdicts(), where);
            assertEquals(right.scoresOfPassed(), each.scores(), where);
        }
    }
}
