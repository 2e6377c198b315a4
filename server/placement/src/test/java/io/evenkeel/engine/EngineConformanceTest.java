package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the engine with kube-scheduler's own answers, in every layout. */
final class EngineConformanceTest {
    @Test
    void everyAnswer_isKubeSchedulers() {
        checkAnswers(EngineLayout.DEFAULT);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DEFAULT")
    @Tag("long")
    void everyAnswer_isKubeSchedulers_inOtherLayouts(EngineLayout layout) {
        checkAnswers(layout);
    }

    private static void checkAnswers(EngineLayout layout) {
        Conformance conformance = new Conformance();
        for (String file : ConformanceCorpus.FILES) {
            ConformanceCorpus.read(file, scenario -> conformance.play(scenario, layout.subject()));
        }
        assertEquals(List.of(), conformance.differences());
        assertEquals(ConformanceCorpus.PLACEMENTS, conformance.placements());
        assertEquals(ConformanceCorpus.WHAT_IFS, conformance.whatIfs());
        assertEquals(ConformanceCorpus.WHOLES, conformance.wholes());
    }

    @Test
    void everyPlace_isKubeSchedulers() {
        checkPlaces(ConformanceCorpus.SEQUENCE, ConformanceCorpus.PLACES);
    }

    @Test
    @Tag("long")
    void everyPlace_isKubeSchedulers_inLargeClusters() {
        checkPlaces(ConformanceCorpus.LARGE_SEQUENCE, ConformanceCorpus.LARGE_PLACES);
    }

    private static void checkPlaces(String file, int places) {
        Conformance conformance = new Conformance();
        ConformanceCorpus.read(file, scenario -> conformance.play(scenario, EngineLayout.DEFAULT.subject()));
        assertEquals(List.of(), conformance.differences());
        assertEquals(places, conformance.places());
    }
}
