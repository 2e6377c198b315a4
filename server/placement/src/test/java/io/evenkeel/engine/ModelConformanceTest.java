package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.Conformance;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the model with kube-scheduler's own answers, so that the engine can be compared with the model. */
final class ModelConformanceTest {
    @Test
    void everyAnswer_isKubeSchedulers() {
        Conformance conformance = new Conformance();
        for (String file : ConformanceCorpus.FILES) {
            ConformanceCorpus.read(file, scenario -> conformance.play(scenario, new ModelSubject()));
        }
        ConformanceCorpus.read(ConformanceCorpus.SEQUENCE, scenario -> conformance.play(scenario, new ModelSubject()));
        assertEquals(List.of(), conformance.differences());
        assertEquals(ConformanceCorpus.PLACEMENTS, conformance.placements());
        assertEquals(ConformanceCorpus.WHAT_IFS, conformance.whatIfs());
        assertEquals(ConformanceCorpus.WHOLES, conformance.wholes());
        assertEquals(ConformanceCorpus.PLACES, conformance.places());
    }
}
