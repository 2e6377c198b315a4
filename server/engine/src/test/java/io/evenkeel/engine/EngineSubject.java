package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.Answers;
import io.evenkeel.engine.script.ScriptTarget;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Verdict;
import io.evenkeel.engine.script.World;
import io.evenkeel.engine.whatif.WhatIfResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

/**
 * The engine as a subject of scripts. Each question is asked in every way that the engine offers, and all must agree.
 * Plans, candidates and the answer object are reused, as a service does, and the answer object serves another engine in
 * between. A fresh answer object must give the same answer.
 */
public final class EngineSubject implements ScriptTarget {
    private final SpreadEngine engine;
    private final Answer answer = new Answer();
    private final Answer alone = new Answer();
    private final IdentityHashMap<PodPlan, Map<AskedNodes, Answer>> keptAnswers = new IdentityHashMap<>();
    private final Map<IncomingPod, Map<SpreadDefaults, PodPlan>> keptPlans = new HashMap<>();
    private final Map<Set<String>, NodeSubset> keptCandidates = new HashMap<>();
    private final boolean validatesEachStep;
    private final AtomicLong now;
    private final boolean isFork;
    private Overlay overlay = Overlay.NONE;
    private List<PodKey> unknownPods = List.of();
    private int asked;
    private int evaluated;

    /** What the kept answers of a plan differ by. */
    private record AskedNodes(NodeSubset candidates, EntryRules rules) {}

    EngineSubject(EngineOptions options, Slices slices, boolean validatesEachStep) {
        now = new AtomicLong();
        isFork = false;
        this.engine = new SpreadEngine(options, now::get, Capacity.LARGEST, slices);
        this.validatesEachStep = validatesEachStep;
    }

    private EngineSubject(SpreadEngine engine, EngineSubject original) {
        now = original.now;
        isFork = true;
        this.engine = engine;
        validatesEachStep = original.validatesEachStep;
    }

    /** A subject with a fork of the engine and the same clock. */
    EngineSubject fork() {
        return new EngineSubject(engine.fork(), this);
    }

    /** A new engine that was fed the objects of this one. */
    EngineSubject rebuilt() {
        SpreadEngine fed = new SpreadEngine(EngineOptions.defaults(), now::get);
        fed.write(writer -> {
            nodes().forEach(node -> writer.apply(Change.ADDED, node));
            for (ObjectKind kind : ObjectKind.OWNERS) {
                engine.store.owners.of(kind).forEachRemaining(owner -> writer.apply(Change.ADDED, owner));
            }
            pods().forEach(pod -> writer.apply(Change.ADDED, pod));
        });
        return new EngineSubject(fed, this);
    }

    /** All nodes of the engine. */
    List<NodeObject> nodes() {
        NodeNameTable names = engine.nodeNames();
        List<NodeObject> nodes = new ArrayList<>();
        for (int slot = 0; slot < names.limit(); slot++) {
            String name = names.name(slot);
            if (name != null) {
                nodes.add(Objects.requireNonNull(engine.node(name)));
            }
        }
        return nodes;
    }

    /** All pods of the engine. */
    List<PodRecord> pods() {
        List<PodRecord> pods = new ArrayList<>();
        for (int pod = 0; pod < engine.store.pods.limit(); pod++) {
            if (engine.store.pods.isLive(pod)) {
                pods.add(Objects.requireNonNull(engine.record(PodKey.ofUid(engine.store.pods.uid(pod)))));
            }
        }
        return pods;
    }

    public SpreadEngine engine() {
        return engine;
    }

    @Override
    public void apply(Step step) {
        long before = engine.revision();
        engine.write(writer -> apply(step, writer, now));
        assertTrue(engine.revision() >= before, "the revision must never move back");
        if (validatesEachStep) {
            validate();
        }
    }

    /** Applies a step to the engine, whose clock is {@code now}. */
    static void apply(Step step, ClusterWriter writer, AtomicLong now) {
        if (step instanceof Step.FromElsewhere elsewhere) {
            writer.setFromElsewhere(true);
            apply(elsewhere.event(), writer, now);
            writer.setFromElsewhere(false);
        } else if (step instanceof Step.NodeEvent event) {
            writer.apply(event.change(), event.node());
        } else if (step instanceof Step.PodEvent event) {
            writer.apply(event.change(), record(event.pod()));
        } else if (step instanceof Step.OwnerEvent event) {
            writer.apply(event.change(), event.owner());
        } else if (step instanceof Step.BeginSnapshot begin) {
            writer.beginSnapshot(begin.kinds());
        } else if (step instanceof Step.EndSnapshot end) {
            do {
                writer.sweepSnapshot(end.lists());
            } while (writer.isSnapshotInProgress(end.lists().keySet()));
        } else if (step instanceof Step.AbandonSnapshot abandon) {
            writer.abandonSnapshot(abandon.kinds());
        } else if (step instanceof Step.Assume assume) {
            Duration timeToLive =
                    assume.expiresAt() == Long.MAX_VALUE ? null : Duration.ofNanos(assume.expiresAt() - now.get());
            writer.assume(record(assume.pod()), assume.pod().nodeName(), timeToLive);
        } else if (step instanceof Step.Forget forget) {
            writer.forget(forget.uid());
        } else if (step instanceof Step.Expire expire) {
            now.set(expire.now());
            do {
                writer.expireAssumptions();
            } while (writer.isExpiring());
        }
    }

    /** The pod, with one of a few templates. */
    private static PodRecord record(PodObject pod) {
        PodRecord record = PodRecord.of(pod);
        int template = Math.floorMod(pod.labels().hashCode() + pod.nodeName().length(), 5);
        record.setTemplate(World.template("t".repeat(template)));
        return record;
    }

    @Override
    public Answers ask(ScriptedQuery query) {
        PodPlan plan = plan(query.pod(), query.defaults());
        if (query instanceof ScriptedQuery.WhatIf whatIf) {
            WhatIfResult verdict = World.whatIf(engine, plan, whatIf.node(), EntryRules.NONE, whatIf.overlay());
            WhatIfResult fitting = World.whatIf(engine, plan, whatIf.node(), EntryRules.FITTING, whatIf.overlay());
            assertEquals(verdict.unknown(), fitting.unknown());
            return new Answers.WhatIf(
                    verdict.knownNode() ? verdict.code() : null,
                    fitting.knownNode() ? new Verdict(fitting.code(), fitting.reason(), fitting.message()) : null,
                    verdict.unknown());
        }
        overlay = query.overlay();
        Set<String> named = ((ScriptedQuery.Placement) query).candidates();
        NodeSubset candidates =
                named == null ? NodeSubset.ALL : keptCandidates.computeIfAbsent(named, NodeSubset::named);
        evaluate(plan, Question.filter(candidates));
        Map<String, Verdict> verdicts = ofCandidates(this::verdict);
        if (named != null) {
            Set<String> unknown = new TreeSet<>(named);
            unknown.removeAll(verdicts.keySet());
            assertEquals(unknown, new TreeSet<>(answer.unknownCandidates()));
        }
        evaluate(plan, Question.score(candidates, 3));
        Map<String, Integer> scoresOfAll = ofCandidates(answer::score);
        evaluate(plan, Question.evaluate(candidates, Integer.MAX_VALUE));
        assertEquals(verdicts, ofCandidates(this::verdict), "Evaluate must filter as Filter does");
        Map<String, Integer> scoresOfPassed = ofPassed();
        checkAlone(plan, Question.evaluate(candidates, Integer.MAX_VALUE));
        checkStanding(plan, Question.evaluate(candidates, Integer.MAX_VALUE));
        evaluate(plan, new Question(NodeSubset.ALL, EntryRules.ENTERABLE, false, false, 1, Question.Detail.SCORES));
        Map<String, Reason> shutOut = shutOut(verdicts.keySet());
        evaluate(plan, Question.evaluate(NodeSubset.ALL, 2).under(EntryRules.ENTERABLE));
        Map<String, Integer> scoresOfEntered = named == null ? ofPassed() : null;
        Answers.Fitting fitting = fitting(plan, candidates);
        List<PodKey> unknown = unknownPods;
        checkWithoutOverlay(plan, Question.evaluate(NodeSubset.ALL, 2).under(EntryRules.ENTERABLE));
        checkWithoutOverlay(plan, Question.evaluate(NodeSubset.ALL, 2).under(EntryRules.FITTING));
        return new Answers.Placement(verdicts, scoresOfPassed, scoresOfAll, shutOut, scoresOfEntered, fitting, unknown);
    }

    private Answers.Fitting fitting(PodPlan plan, NodeSubset candidates) {
        evaluate(plan, Question.filter(candidates).under(EntryRules.FITTING));
        Map<String, Verdict> verdicts = ofCandidates(this::verdict);
        checkShortages();
        Question question = Question.evaluate(candidates, Integer.MAX_VALUE).under(EntryRules.FITTING);
        evaluate(plan, question);
        assertEquals(verdicts, ofCandidates(this::verdict), "Evaluate must filter as Filter does");
        Answers.Fitting fitting = new Answers.Fitting(
                verdicts, ofPassed(), answer.podsWithoutRequests(), answer.nodesWithoutAllocatable());
        checkAlone(plan, question);
        checkStanding(plan, question);
        return fitting;
    }

    private void checkShortages() {
        for (int kind = 0; kind < answer.shortages().size(); kind++) {
            int lacking = 0;
            for (int i = 0; i < answer.names().limit(); i++) {
                lacking += answer.isShort(i, kind) ? 1 : 0;
            }
            assertEquals(lacking, answer.shortageCount(kind), answer.shortages().get(kind));
        }
    }

    /** Half of the questions use a plan that was kept, however stale. */
    private PodPlan plan(IncomingPod pod, SpreadDefaults defaults) {
        Map<SpreadDefaults, PodPlan> kept = keptPlans.computeIfAbsent(pod, key -> new HashMap<>());
        PodPlan plan = kept.get(defaults);
        if (plan == null || asked++ % 2 == 0) {
            plan = engine.plan(pod, defaults);
            kept.put(defaults, plan);
        }
        return plan;
    }

    /** Answers a question, with the overlay of the query. */
    private void answer(PodPlan plan, Question question, Answer into) {
        if (overlay.isEmpty()) {
            engine.evaluate(plan, question, into);
            unknownPods = List.of();
        } else {
            List<Integer> places = new ArrayList<>();
            unknownPods = engine.evaluate(
                    List.of(plan), question, overlay, into, (each, place) -> places.add(place), StopSignal.NEVER);
            assertEquals(List.of(0), places);
        }
    }

    /** An answer about a hypothetical cluster must not be reused for the real one. */
    private void checkWithoutOverlay(PodPlan plan, Question question) {
        overlay = Overlay.NONE;
        engine.evaluate(plan, question, answer);
        checkFresh(plan, question);
    }

    private void evaluate(PodPlan plan, Question question) {
        if (++evaluated % 2 == 0) {
            OtherCluster.ask(evaluated / 2, answer);
        }
        answer(plan, question, answer);
        checkFresh(plan, question);
        assertEquals(engine.revision(), answer.revision());
        checkCounts();
        checkPacked();
        checkBest(question.best());
    }

    /** Earlier uses of the answer object must not affect it. */
    private void checkFresh(PodPlan plan, Question question) {
        Answer fresh = new Answer();
        answer(plan, question, fresh);
        checkSame(fresh, answer, "an answer in used memory");
    }

    private static void checkSame(Answer wanted, Answer given, String what) {
        assertEquals(wanted.revision(), given.revision());
        assertEquals(wanted.names().revision(), given.names().revision());
        assertEquals(best(wanted), best(given), () -> "the best of " + what);
        for (int i = 0; i < wanted.names().limit(); i++) {
            assertEquals(wanted.reason(i), given.reason(i), () -> "the verdict of " + what);
            assertEquals(wanted.message(i), given.message(i), () -> "the messages of " + what);
            assertEquals(wanted.score(i), given.score(i), () -> "the score of " + what);
        }
    }

    private void checkCounts() {
        int candidates = 0;
        int passed = 0;
        Map<Reason, Integer> excluded = new EnumMap<>(Reason.class);
        for (int i = 0; i < answer.names().limit(); i++) {
            candidates += answer.isCandidate(i) ? 1 : 0;
            passed += answer.isPassed(i) ? 1 : 0;
            Reason reason = answer.reason(i);
            if (reason != null) {
                excluded.merge(reason, 1, Integer::sum);
            }
        }
        assertEquals(candidates, answer.candidateCount());
        assertEquals(passed, answer.passedCount());
        for (Reason reason : Reason.values()) {
            assertEquals(excluded.getOrDefault(reason, 0), answer.excludedBy(reason), reason::text);
        }
    }

    private void checkPacked() {
        int limit = answer.names().limit();
        byte[] passed = new byte[answer.bitSetBytes()];
        byte[] unresolvable = new byte[answer.bitSetBytes()];
        byte[] scores = new byte[limit];
        answer.copyPassed(passed, 0);
        answer.copyUnresolvable(unresolvable, 0);
        if (answer.isScored()) {
            answer.copyScores(scores, 0);
        }
        for (int i = 0; i < limit; i++) {
            assertEquals(answer.isPassed(i), (passed[i >> 3] >> (i & 7) & 1) == 1);
            boolean isUnresolvable = answer.code(i) == VerdictCode.UNSCHEDULABLE_AND_UNRESOLVABLE;
            assertEquals(isUnresolvable, (unresolvable[i >> 3] >> (i & 7) & 1) == 1);
            assertEquals(answer.score(i), scores[i]);
        }
    }

    /** The best are those that passed, in descending order of score; equal scores in ascending order of index. */
    private void checkBest(int atMost) {
        List<Integer> wanted = new ArrayList<>();
        for (int i = 0; i < answer.names().limit(); i++) {
            if (answer.isPassed(i)) {
                wanted.add(i);
            }
        }
        wanted.sort(Comparator.comparing((Integer i) -> -answer.score(i)).thenComparing(i -> i));
        assertEquals(wanted.subList(0, Math.min(atMost, wanted.size())), best(answer));
    }

    /** After the same Evaluate: asking only for the best must give the best of all. */
    private void checkAlone(PodPlan plan, Question all) {
        List<Integer> best = best(answer);
        for (int howMany : new int[] {1, 3, Integer.MAX_VALUE}) {
            for (Question question : List.of(
                    Question.best(all.candidates(), howMany).under(all.rules()),
                    Question.evaluate(all.candidates(), howMany)
                            .under(all.rules())
                            .withoutScores())) {
                if (howMany == 3) {
                    OtherCluster.ask(evaluated, alone);
                }
                answer(plan, question, alone);
                assertEquals(answer.isScored(), alone.isScored());
                assertEquals(best.subList(0, Math.min(howMany, best.size())), best(alone), "the best alone");
                for (int rank = 0; rank < alone.bestCount(); rank++) {
                    assertEquals(answer.score(alone.best(rank)), alone.bestScore(rank), "the score of one of the best");
                }
            }
        }
        assertEquals(answer.passedCount(), alone.passedCount());
    }

    /** After the same Evaluate: an answer kept since the question was last asked is brought up to date. */
    private void checkStanding(PodPlan plan, Question question) {
        Answer kept = keptAnswers
                .computeIfAbsent(plan, key -> new HashMap<>())
                .computeIfAbsent(new AskedNodes(question.candidates(), question.rules()), key -> new Answer());
        for (int time = 0; time < 2; time++) {
            answer(plan, question, kept);
            checkSame(answer, kept, "a kept answer");
        }
    }

    private static List<Integer> best(Answer of) {
        List<Integer> best = new ArrayList<>();
        for (int rank = 0; rank < of.bestCount(); rank++) {
            best.add(of.best(rank));
        }
        return best;
    }

    private Verdict verdict(int index) {
        Reason reason = answer.reason(index);
        return reason == null ? Verdict.SUCCESS : Verdict.failed(reason, answer.message(index));
    }

    private <T> Map<String, T> ofCandidates(IntFunction<T> value) {
        Map<String, T> byName = new TreeMap<>();
        for (int i = 0; i < answer.names().limit(); i++) {
            String name = answer.names().name(i);
            if (answer.isCandidate(i)) {
                byName.put(Objects.requireNonNull(name), value.apply(i));
            }
        }
        return byName;
    }

    private Map<String, Integer> ofPassed() {
        Map<String, Integer> scores = ofCandidates(answer::score);
        for (int i = 0; i < answer.names().limit(); i++) {
            String name = answer.names().name(i);
            if (name != null && !answer.isPassed(i)) {
                scores.remove(name);
            }
        }
        return scores;
    }

    private Map<String, Reason> shutOut(Set<String> candidates) {
        Map<String, Reason> reasons = new TreeMap<>();
        for (int i = 0; i < answer.names().limit(); i++) {
            String name = answer.names().name(i);
            Reason reason = answer.reason(i);
            if (name != null && reason != null && candidates.contains(name)) {
                reasons.put(name, reason);
            }
        }
        return reasons;
    }

    @Override
    public void validate() {
        if (isFork) {
            IndexValidator.validateFork(engine);
        } else {
            IndexValidator.validate(engine);
        }
    }
}
