package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.Answers;
import io.evenkeel.engine.script.Script;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Verdict;
import io.evenkeel.engine.whatif.WhatIfAnswers;
import io.evenkeel.engine.whatif.WhatIfCase;
import io.evenkeel.engine.whatif.WhatIfResult;
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
 * Tests concurrent writers and readers. Writers log each step under the lock, with its revision. Readers record their
 * answers, with the revision that each names. Some ask forks, which they then change, while the engine and its forks
 * share memory. Afterwards the model plays the log, and each answer is compared with the model's at that revision.
 */
final class EngineConcurrencyTest {
    private static final int STEPS = 1_500;
    private static final int ANSWERS_KEPT = 3_000;

    /** One question in this many asks for an explanation. */
    private static final int EXPLAINED = 4;

    /** How often a fork is asked, and how many steps change it afterwards. */
    private static final int USES_OF_A_FORK = 4;

    /** Nanoseconds between steps, in which readers get the lock. */
    private static final long BETWEEN_STEPS = 20_000;

    /** A step that changed something, and the revision that it led to. */
    private record Logged(Step step, long revision) {}

    /** What a reader saw at a revision. */
    private sealed interface Seen {
        long revision();
    }

    private record SeenPlacement(
            ScriptedQuery.Placement query, long revision, Map<String, Verdict> verdicts, Map<String, Integer> scores)
            implements Seen {}

    private record SeenWhatIf(
            ScriptedQuery.WhatIf query,
            long revision,
            @Nullable VerdictCode code) implements Seen {}

    private record SeenExplanation(ScriptedQuery.Placement query, long revision, Map<String, Verdict> verdicts)
            implements Seen {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void answers_equalTheModelsAtTheRevisionTheyName_whenWritersAndReadersRunAtOnce(long seed) throws Exception {
        Script script = Script.random(seed, STEPS, 0.2);
        List<Step> steps = script.acts().stream()
                .filter(Step.class::isInstance)
                .map(Step.class::cast)
                .toList();
        List<ScriptedQuery> queries = script.acts().stream()
                .filter(ScriptedQuery.class::isInstance)
                .map(ScriptedQuery.class::cast)
                .toList();
        AtomicLong now = new AtomicLong();
        SpreadEngine engine = new SpreadEngine(
                EngineOptions.defaults().withNarrowUpTo((int) (seed % 2) * 3).withMaxPlans(8), now::get);
        List<Logged> log = new ArrayList<>();
        ConcurrentLinkedQueue<Seen> seen = new ConcurrentLinkedQueue<>();
        AtomicInteger nextStep = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(5);
        try {
            List<Future<Void>> running = new ArrayList<>();
            for (int writer = 0; writer < 2; writer++) {
                running.add(threads.submit(writer(engine, steps, nextStep, now, log)));
            }
            for (int reader = 0; reader < 2; reader++) {
                running.add(threads.submit(reader(engine, queries, reader, nextStep, seen)));
            }
            running.add(threads.submit(forkingReader(engine, steps, queries, nextStep, now, seen)));
            for (Future<Void> each : running) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        IndexValidator.validate(engine);
        assertTrue(seen.size() > 100, "readers must have got answers while writers wrote, got " + seen.size());
        check(seed, log, seen);
    }

    private static Callable<Void> writer(
            SpreadEngine engine, List<Step> steps, AtomicInteger nextStep, AtomicLong now, List<Logged> log) {
        return () -> {
            while (nextStep.get() < steps.size()) {
                engine.write(writer -> {
                    // Within the write, so that no writer overtakes the other.
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
            List<ScriptedQuery> queries,
            int first,
            AtomicInteger nextStep,
            ConcurrentLinkedQueue<Seen> seen) {
        return () -> {
            Answer answer = new Answer();
            for (int i = first; nextStep.get() < STEPS && seen.size() < ANSWERS_KEPT; i += 2) {
                ScriptedQuery query = queries.get(i % queries.size());
                if (query instanceof ScriptedQuery.WhatIf whatIf) {
                    seen.add(judge(engine, whatIf));
                } else if (i % EXPLAINED == first) {
                    seen.add(explain(engine, (ScriptedQuery.Placement) query));
                } else {
                    seen.add(evaluate(engine, (ScriptedQuery.Placement) query, answer));
                }
            }
            return null;
        };
    }

    private static Callable<Void> forkingReader(
            SpreadEngine engine,
            List<Step> steps,
            List<ScriptedQuery> queries,
            AtomicInteger nextStep,
            AtomicLong now,
            ConcurrentLinkedQueue<Seen> seen) {
        List<Step> ofForks =
                steps.stream().filter(step -> !step.isAboutSnapshots()).toList();
        List<ScriptedQuery.Placement> placements = queries.stream()
                .filter(ScriptedQuery.Placement.class::isInstance)
                .map(ScriptedQuery.Placement.class::cast)
                .toList();
        return () -> {
            Answer answer = new Answer();
            int i = 0;
            for (; nextStep.get() < STEPS; i += USES_OF_A_FORK) {
                SpreadEngine fork = engine.fork();
                for (int use = i; use < i + USES_OF_A_FORK; use++) {
                    seen.add(evaluate(fork, placements.get(use % placements.size()), answer));
                }
                AtomicLong itsNow = new AtomicLong(now.get());
                for (int use = i; use < i + USES_OF_A_FORK; use++) {
                    Step step = ofForks.get(use % ofForks.size());
                    fork.write(writer -> EngineSubject.apply(step, writer, itsNow));
                }
                IndexValidator.validateFork(fork);
            }
            assertTrue(i > USES_OF_A_FORK, "the engine must have been forked while writers wrote");
            return null;
        };
    }

    private static Seen evaluate(SpreadEngine engine, ScriptedQuery.Placement query, Answer answer) {
        NodeSubset candidates = candidates(query);
        PodPlan plan = engine.plan(query.pod(), query.defaults());
        Question question = Question.evaluate(candidates, 0);
        if (query.overlay().isEmpty()) {
            engine.evaluate(plan, question, answer);
        } else {
            engine.evaluate(List.of(plan), question, query.overlay(), answer, (each, place) -> {}, StopSignal.NEVER);
        }
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
        return new SeenPlacement(query, answer.revision(), verdicts, scores);
    }

    private static Seen judge(SpreadEngine engine, ScriptedQuery.WhatIf query) {
        PodPlan plan = engine.plan(query.pod(), query.defaults());
        WhatIfAnswers answers = engine.whatIf(
                List.of(new WhatIfCase(plan, query.node(), EntryRules.NONE, query.overlay())), StopSignal.NEVER);
        WhatIfResult answer = answers.results().get(0);
        return new SeenWhatIf(query, answers.revision(), answer.knownNode() ? answer.code() : null);
    }

    private static Seen explain(SpreadEngine engine, ScriptedQuery.Placement query) {
        Explanation explanation = engine.explain(
                engine.plan(query.pod(), query.defaults()),
                candidates(query),
                EntryRules.NONE,
                query.overlay(),
                Integer.MAX_VALUE,
                StopSignal.NEVER);
        Map<String, Verdict> verdicts = new TreeMap<>();
        for (Explanation.Verdict verdict : explanation.verdicts()) {
            Explanation.Cause cause = verdict.cause();
            verdicts.put(verdict.node(), cause == null ? Verdict.SUCCESS : Verdict.failed(cause.reason()));
        }
        return new SeenExplanation(query, explanation.revision(), verdicts);
    }

    private static NodeSubset candidates(ScriptedQuery.Placement query) {
        Set<String> named = query.candidates();
        return named == null ? NodeSubset.ALL : NodeSubset.named(named);
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
            String where = "seed " + seed + ", revision " + each.revision() + ", " + each;
            if (each instanceof SeenWhatIf whatIf) {
                assertEquals(((Answers.WhatIf) model.ask(whatIf.query())).code(), whatIf.code(), where);
            } else if (each instanceof SeenPlacement placement) {
                Answers.Placement right = (Answers.Placement) model.ask(placement.query());
                assertEquals(right.verdicts(), placement.verdicts(), where);
                assertEquals(right.scoresOfPassed(), placement.scores(), where);
            } else if (each instanceof SeenExplanation explanation) {
                Answers.Placement right = (Answers.Placement) model.ask(explanation.query());
                assertEquals(right.verdicts(), explanation.verdicts(), where);
            }
        }
    }
}
