package io.evenkeel.engine;

import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.CrowdedGenerator;
import io.evenkeel.engine.script.Seeds;
import org.junit.jupiter.api.Test;

/** Tests that calls answer as the model does, as {@link EnginePropertiesTest} tests the engine. */
final class PlacementPropertiesTest {
    @Test
    void placement_answersAsTheModel_aboutLargerClusters() {
        for (int seed = Seeds.FIRST; seed < Seeds.endOfFirst(4); seed++) {
            CrowdedGenerator.script(seed).mustAgree("seed " + seed, ModelSubject::new, PlacementSubject::new);
        }
    }
}
