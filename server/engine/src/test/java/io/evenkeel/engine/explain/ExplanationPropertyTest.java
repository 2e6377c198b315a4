package io.evenkeel.engine.explain;

import io.evenkeel.engine.EngineLayout;
import io.evenkeel.engine.ExplainingSubject;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.Script;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compares explanations of random clusters with the model. A failure prints its seed and the shortest script that shows
 * it.
 */
final class ExplanationPropertyTest {
    private static final int SCRIPTS = 60;
    private static final int STEPS = 120;

    @ParameterizedTest
    @EnumSource(EngineLayout.class)
    void explanation_agreesWithTheModel_afterRandomEvents(EngineLayout layout) {
        long first = 7_000L * (layout.ordinal() + 1);
        for (long seed = first; seed < first + SCRIPTS; seed++) {
            Script.random(seed, STEPS, 0.3)
                    .mustAgree("seed " + seed + " " + layout, ModelSubject::new, () -> new ExplainingSubject(layout));
        }
    }
}
