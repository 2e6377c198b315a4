package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.ChangeGenerator;
import io.evenkeel.engine.script.QueryGenerator;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Universe;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests plans that are compiled in the smallest slices. Between slices the cluster changes, other pods are asked about,
 * plans are dropped, and occasionally the caller cancels.
 */
final class SlicedPlansTest {
    private static final int QUERIES = 60;

    @ParameterizedTest
    @Tag("long")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void answersAreTheModels_whateverHappensBetweenSlices(long seed) {
        RandomChoices dice = new RandomChoices(seed);
        Universe universe = new Universe(dice);
        Interruptions between = new Interruptions(dice, universe, 3);
        for (int query = 0; query < QUERIES; query++) {
            between.ask();
        }
        between.engine.validate();
        assertTrue(between.slices > 20 * QUERIES, "slices: " + between.slices);
        assertTrue(between.stopped > 0, "stopped: " + between.stopped);
        assertTrue(between.nested > QUERIES, "asked meanwhile: " + between.nested);
    }

    /** A cluster of many topologies, so that plans have many parts. */
    private static final class Interruptions implements StopSignal {
        private final RandomChoices dice;
        private final ChangeGenerator cluster;
        private final QueryGenerator queries;
        private final ModelSubject model = new ModelSubject();
        private final EngineSubject engine;
        private int depth;
        private boolean isOver;
        int slices;
        int stopped;
        int nested;

        Interruptions(RandomChoices dice, Universe universe, int maxPlans) {
            this.dice = dice;
            this.cluster = new ChangeGenerator(dice, universe);
            this.queries = new QueryGenerator(dice, universe);
            EngineOptions options = EngineLayout.TURNING.options().withMaxPlans(maxPlans);
            this.engine = new EngineSubject(options, EngineLayout.MIN_SLICES, false);
            for (int step = 0; step < 100; step++) {
                change();
            }
        }

        /** Compiles a plan while all this happens, and asks with it. */
        void ask() {
            ScriptedQuery query = queries.next(cluster.nodeNames(), cluster.pods());
            isOver = false;
            try (PlanPins pins = engine.engine().pinPlans(this, PlanPins.UNLIMITED)) {
                PodPlan plan = pins.plan(query.pod(), query.defaults());
                assertEquals(query.pod(), plan.pod());
            } catch (StoppedException e) {
                stopped++;
            }
            isOver = false;
            assertEquals(model.ask(query), engine.ask(query));
        }

        @Override
        public boolean isStopped() {
            if (depth > 0 || isOver) {
                return isOver;
            }
            depth++;
            slices++;
            if (dice.chance(0.7)) {
                change();
            }
            if (dice.chance(0.1)) {
                nested++;
                ScriptedQuery other = queries.next(cluster.nodeNames(), cluster.pods());
                assertEquals(model.ask(other), engine.ask(other));
            }
            if (dice.chance(0.1)) {
                engine.validate();
            }
            depth--;
            isOver = dice.chance(0.003);
            return isOver;
        }

        private void change() {
            Step step = cluster.next();
            model.apply(step);
            engine.apply(step);
        }
    }
}
