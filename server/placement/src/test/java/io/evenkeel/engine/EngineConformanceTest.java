package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.script.Conformance;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the engine with kube-scheduler's own answers, in every layout. */
final class EngineConformanceTest {
    @Test
    void everyAnswer_isKubeSchedulers() {
        checkAnswers(EnumSet.of(EngineLayout.DEFAULT));
    }

    @Test
    @Tag("long")
    void everyAnswer_isKubeSchedulers_inOtherLayouts() {
        checkAnswers(EnumSet.complementOf(EnumSet.of(EngineLayout.DEFAULT)));
    }

    /** Reads the corpus once for all layouts, because that takes longer than to play it. */
    private static void checkAnswers(Set<EngineLayout> layouts) {
        Map<EngineLayout, Conformance> played = new EnumMap<>(EngineLayout.class);
        layouts.forEach(layout -> played.put(layout, new Conformance()));
        for (String file : ConformanceCorpus.FILES) {
            ConformanceCorpus.read(
                    file,
                    scenario -> played.forEach((layout, conformance) -> conformance.play(scenario, layout.subject())));
        }
        played.forEach((layout, conformance) -> {
            assertEquals(List.of(), conformance.differences(), layout::name);
            assertEquals(ConformanceCorpus.PLACEMENTS, conformance.placements());
            assertEquals(ConformanceCorpus.WHAT_IFS, conformance.whatIfs());
            assertEquals(ConformanceCorpus.WHOLES, conformance.wholes());
        });
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
