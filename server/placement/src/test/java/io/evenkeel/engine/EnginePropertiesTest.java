package io.evenkeel.engine;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the engine with random clusters, events and queries. It must answer like the model, whatever its answer objects
 * were used for before, and its index must agree with a recount. A failure prints its seed and the shortest failing
 * script found. The system property {@code evenkeel.seeds} ({@code 5000-6000}) selects other seeds.
 */
final class EnginePropertiesTest {
    private static final String[] SEEDS =
            System.getProperty("evenkeel.seeds", "0-40").split("-");
    private static final int FIRST = Integer.parseInt(SEEDS[0]);
    private static final int END = Integer.parseInt(SEEDS[1]);

    @ParameterizedTest
    @EnumSource
    void engine_answersAsTheModel(EngineLayout layout) {
        for (int seed = FIRST; seed < END; seed++) {
            Script.random(seed, 150, 0.35).mustAgree("seed " + seed, ModelSubject::new, layout::subject);
        }
    }

    @ParameterizedTest
    @EnumSource
    void engine_answersAsTheModel_aboutLargerClusters(EngineLayout layout) {
        int step = layout == EngineLayout.DEFAULT ? 1 : 2;
        for (int seed = FIRST; seed < END; seed += step) {
            CrowdedGenerator.script(seed).mustAgree("seed " + seed, ModelSubject::new, layout::subject);
        }
    }

    @Test
    void placement_answersAsTheModel_aboutLargerClusters() {
        for (int seed = FIRST; seed < FIRST + (END - FIRST) / 4; seed++) {
            CrowdedGenerator.script(seed).mustAgree("seed " + seed, ModelSubject::new, PlacementSubject::new);
        }
    }

    @ParameterizedTest
    @EnumSource
    void index_isWhatARecountGives_afterEachStep(EngineLayout layout) {
        for (int seed = FIRST; seed < FIRST + (END - FIRST) / 5; seed++) {
            Script.random(seed, 100, 0.2).mustAgree("seed " + seed, ModelSubject::new, layout::validatingSubject);
        }
    }
}
