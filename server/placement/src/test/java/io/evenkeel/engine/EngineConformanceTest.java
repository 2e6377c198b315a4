package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the engine with kube-scheduler's own answers, in every layout. */
final class EngineConformanceTest {
    @Test
    void everyAnswer_isKubeSchedulers_inEveryLayout() {
        Map<EngineLayout, Conformance> conformances = new EnumMap<>(EngineLayout.class);
        for (EngineLayout layout : EngineLayout.values()) {
            conformances.put(layout, new Conformance());
        }
        for (String file : ConformanceCorpus.FILES) {
            ConformanceCorpus.read(
                    file,
                    scenario -> conformances.forEach(
                            (layout, conformance) -> conformance.play(scenario, layout.subject())));
        }
        assertAll(conformances.entrySet().stream().map(played -> () -> {
            Conformance conformance = played.getValue();
            assertEquals(
                    List.of(), conformance.differences(), () -> played.getKey().name());
            assertEquals(ConformanceCorpus.PLACEMENTS, conformance.placements());
            assertEquals(ConformanceCorpus.WHAT_IFS, conformance.whatIfs());
            assertEquals(ConformanceCorpus.WHOLES, conformance.wholes());
        }));
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
