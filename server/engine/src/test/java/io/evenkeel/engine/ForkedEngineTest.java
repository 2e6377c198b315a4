package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.AntiAffinityTerm;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.Answers;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.Script;
import io.evenkeel.engine.script.ScriptTarget;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Seeds;
import io.evenkeel.engine.script.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that an engine and its forks change independently, although they share memory. The engine must answer as the
 * model does, and each fork as an engine that was fed the fork's objects.
 */
final class ForkedEngineTest {
    private static final int FORKS = 3;

    /** An engine with forks, and forks of forks, which get some of the changes. */
    private static final class ForkingSubject implements ScriptTarget {
        private final EngineSubject original;
        private final List<EngineSubject> forks = new ArrayList<>();
        private final RandomChoices dice;

        ForkingSubject(EngineLayout layout, boolean validates, long seed) {
            original = validates ? layout.validatingSubject() : layout.subject();
            dice = new RandomChoices(seed);
        }

        @Override
        public void apply(Step step) {
            if (dice.chance(0.15)) {
                EngineSubject from = forks.isEmpty() || dice.chance(0.6) ? original : dice.pick(forks);
                forks.add(from.fork());
                if (forks.size() > FORKS) {
                    forks.remove(0);
                }
            }
            for (EngineSubject fork : forks) {
                if (dice.chance(0.6) && !step.isAboutSnapshots()) {
                    fork.apply(step);
                }
            }
            original.apply(step);
        }

        @Override
        public Answers ask(ScriptedQuery query) {
            if (!forks.isEmpty()) {
                EngineSubject fork = dice.pick(forks);
                assertEquals(fork.rebuilt().ask(query), fork.ask(query), "the answer of a fork");
            }
            return original.ask(query);
        }

        @Override
        public void validate() {
            forks.forEach(EngineSubject::validate);
            original.validate();
        }
    }

    @ParameterizedTest
    @EnumSource
    void forks_changeIndependently(EngineLayout layout) {
        for (int seed = Seeds.FIRST; seed < Seeds.END; seed += 4) {
            long dice = seed;
            Script.random(seed, 120, 0.3)
                    .mustAgree("seed " + seed, ModelSubject::new, () -> new ForkingSubject(layout, false, dice));
        }
    }

    @ParameterizedTest
    @EnumSource
    void forks_areWhatARecountGives_afterEachStep(EngineLayout layout) {
        for (int seed = Seeds.FIRST; seed < Seeds.endOfFirst(10); seed++) {
            long dice = seed;
            Script.random(seed, 80, 0.2)
                    .mustAgree("seed " + seed, ModelSubject::new, () -> new ForkingSubject(layout, true, dice));
        }
    }

    @Test
    void antiAffinityOfPods_isCopied_andThenChangesIndependently() {
        SpreadEngine engine = new SpreadEngine(EngineOptions.defaults(), () -> 0);
        engine.write(
                writer -> writer.apply(Change.ADDED, new NodeObject("a", "", 0, Map.of(), List.of(), false, null)));
        apply(engine, Change.ADDED, "first");
        apply(engine, Change.ADDED, "second");
        SpreadEngine fork = engine.fork();
        assertTrue(repelsWeb(fork));

        apply(engine, Change.DELETED, "first");
        apply(engine, Change.DELETED, "second");
        assertFalse(repelsWeb(engine));
        assertTrue(repelsWeb(fork));

        long moves = fork.antiAffinityMoves();
        apply(fork, Change.DELETED, "first");
        assertTrue(repelsWeb(fork));
        apply(fork, Change.DELETED, "second");
        assertFalse(repelsWeb(fork));
        assertTrue(fork.antiAffinityMoves() > moves);

        apply(fork, Change.ADDED, "third");
        assertTrue(repelsWeb(fork));
        assertFalse(repelsWeb(engine));
    }

    /** A pod on the node that repels pods with the label app=web. */
    private static void apply(SpreadEngine engine, Change change, String name) {
        AntiAffinityTerm term = new AntiAffinityTerm(
                "zone", List.of("shop"), new PodSelector(List.of(LabelRequirement.equal("app", "web"))));
        PodRequests requests = PodRequests.NOTHING.withAntiAffinity(List.of(term));
        PodObject pod = new PodObject("shop", name, name, 0, Map.of(), "a", false, false, requests);
        engine.write(writer -> writer.apply(change, PodRecord.of(pod)));
    }

    private static boolean repelsWeb(SpreadEngine engine) {
        return engine.antiAffinityTo("shop", Map.of("app", "web"), Integer.MAX_VALUE) != null;
    }
}
