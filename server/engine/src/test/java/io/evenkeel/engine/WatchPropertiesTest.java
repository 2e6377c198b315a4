package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.Act;
import io.evenkeel.engine.script.CrowdedGenerator;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.Script;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Seeds;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Verdict;
import io.evenkeel.engine.watch.PlanWatch;
import io.evenkeel.engine.watch.PlanWatches;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compares watches with the model, which recounts: after each write of one or more random steps, exactly those plans
 * must be unblocked for which a node passes that did not pass before. The engine answers other questions in between,
 * and drops plans.
 */
final class WatchPropertiesTest {
    @ParameterizedTest
    @EnumSource
    void plans_areUnblockedWhenANodeBeginsToPass(EngineLayout layout) {
        int unblocked = 0;
        for (int seed = Seeds.FIRST; seed < Seeds.END; seed++) {
            unblocked += play(seed, layout, Script.random(seed, 120, 0.3));
        }
        assertTrue(unblocked > Seeds.END - Seeds.FIRST, "unblocked only " + unblocked);
    }

    @Test
    @Tag("long")
    void plans_areUnblocked_inCrowdedClusters() {
        int unblocked = 0;
        for (int seed = Seeds.FIRST; seed < Seeds.END; seed++) {
            unblocked += play(seed, EngineLayout.DEFAULT, CrowdedGenerator.script(seed));
        }
        assertTrue(unblocked > Seeds.END - Seeds.FIRST, "unblocked only " + unblocked);
    }

    /** Plays a script; returns how often a plan was unblocked. */
    private static int play(int seed, EngineLayout layout, Script script) {
        Play play = new Play(seed, layout);
        List<Step> steps = new ArrayList<>();
        for (Act act : script.acts()) {
            if (act instanceof Step step) {
                steps.add(step);
                if (play.dice.chance(0.7)) {
                    play.write(steps);
                    steps.clear();
                }
            } else if (act instanceof ScriptedQuery query) {
                play.write(steps);
                steps.clear();
                play.ask(query);
            }
        }
        play.end();
        return play.unblocked;
    }

    /** A watched pod, and the nodes that passed for it at the last look. */
    private static final class Watched {
        final ScriptedQuery query;
        final PlanWatch watch;
        Set<String> passed;

        Watched(ScriptedQuery query, PlanWatch watch, Set<String> passed) {
            this.query = query;
            this.watch = watch;
            this.passed = passed;
        }
    }

    private static final class Play {
        private final int seed;
        private final RandomChoices dice;
        private final AtomicLong now = new AtomicLong();
        private final SpreadEngine engine;
        private final ModelSubject model = new ModelSubject();
        private final PlanWatches watches;
        private final List<Watched> watched = new ArrayList<>();
        private final Answer reused = new Answer();
        private final Map<PlanWatch, Long> found = new HashMap<>();
        private int unblocked;

        Play(int seed, EngineLayout layout) {
            this.seed = seed;
            dice = new RandomChoices(seed);
            engine = new SpreadEngine(layout.options(), now::get, Capacity.LARGEST, layout.slices());
            watches = engine.planWatches();
            engine.onRevision(reached -> watches.check(found::put));
        }

        void write(List<Step> steps) {
            if (steps.isEmpty()) {
                return;
            }
            steps.forEach(model::apply);
            found.clear();
            long revision = engine.write(writer -> steps.forEach(step -> EngineSubject.apply(step, writer, now)));
            for (Watched each : watched) {
                Set<String> passed = passed(each.query);
                Set<String> more = new TreeSet<>(passed);
                more.removeAll(each.passed);
                assertEquals(
                        more.isEmpty() ? null : revision,
                        found.get(each.watch),
                        () -> "seed " + seed + ", " + more + " after " + steps + " for " + each.query);
                assertEquals(passed.size(), each.watch.passedCount(), () -> "seed " + seed + ", " + each.query);
                each.passed = passed;
                unblocked += more.isEmpty() ? 0 : 1;
            }
        }

        /** Watches the pod, or asks about it, or ends a watch. */
        void ask(ScriptedQuery query) {
            if (dice.chance(0.5)) {
                PlanWatch watch = watches.watch(engine.plan(query.pod(), query.defaults()));
                watched.add(new Watched(query, watch, passed(query)));
                assertEquals(passed(query).size(), watch.passedCount(), () -> "seed " + seed + ", " + query);
            } else {
                engine.evaluate(
                        engine.plan(query.pod(), query.defaults()), Question.evaluate(NodeSubset.ALL, 1), reused);
            }
            if (dice.chance(0.2) && !watched.isEmpty()) {
                watches.end(watched.remove(dice.below(watched.size())).watch);
            }
        }

        private Set<String> passed(ScriptedQuery query) {
            Set<String> nodes = model.model().nodeNames();
            Set<String> passed = new TreeSet<>();
            model.model()
                    .filterFitting(query.pod(), query.defaults(), Overlay.NONE, nodes)
                    .forEach((node, verdict) -> {
                        if (verdict.equals(Verdict.SUCCESS)) {
                            passed.add(node);
                        }
                    });
            return passed;
        }

        void end() {
            watched.forEach(each -> watches.end(each.watch));
            IndexValidator.validate(engine);
            assertEquals(engine.plans.size(), engine.plansInLine());
        }
    }
}
