package io.evenkeel.engine;

import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.CrowdedGenerator;
import io.evenkeel.engine.script.Script;
import io.evenkeel.engine.script.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the engine with random clusters, events and questions. It must answer as the model does, whatever its answer
 * objects were used for before, and its index must agree with a recount. A failure prints its seed and the shortest
 * script found.
 */
final class EnginePropertiesTest {
    @ParameterizedTest
    @EnumSource
    void engine_answersAsTheModel(EngineLayout layout) {
        for (int seed = Seeds.FIRST; seed < Seeds.END; seed++) {
            Script.random(seed, 150, 0.35).mustAgree("seed " + seed, ModelSubject::new, layout::subject);
        }
    }

    @ParameterizedTest
    @EnumSource
    void engine_answersAsTheModel_aboutLargerClusters(EngineLayout layout) {
        int step = layout == EngineLayout.DEFAULT ? 1 : 2;
        for (int seed = Seeds.FIRST; seed < Seeds.END; seed += step) {
            CrowdedGenerator.script(seed).mustAgree("seed " + seed, ModelSubject::new, layout::subject);
        }
    }

    @ParameterizedTest
    @EnumSource
    void index_isWhatARecountGives_afterEachStep(EngineLayout layout) {
        for (int seed = Seeds.FIRST; seed < Seeds.endOfFirst(5); seed++) {
            Script.random(seed, 100, 0.2).mustAgree("seed " + seed, ModelSubject::new, layout::validatingSubject);
        }
    }
}
