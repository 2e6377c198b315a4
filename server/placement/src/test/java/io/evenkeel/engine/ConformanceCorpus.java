package io.evenkeel.engine;

import io.evenkeel.engine.script.RecordedScenario;
import io.evenkeel.objects.InvalidObjectException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/** Reads the files of the conformance corpus, one scenario at a time. */
final class ConformanceCorpus {
    static final List<String> FILES = List.of(
            "basic",
            "selectors",
            "policies",
            "domains",
            "soft",
            "defaults",
            "churn",
            "whatif",
            "wild",
            "large",
            "real",
            "fit",
            "fitspread");

    /** Pods that are placed one after another, which takes long. */
    static final String SEQUENCE = "sequence";

    /** The same on more nodes, which takes longer. */
    static final String LARGE_SEQUENCE = "sequence-large";

    /** The number of questions of each kind in the files. */
    static final int PLACEMENTS = 5_384;

    static final int WHAT_IFS = 1_081;

    static final int WHOLES = 560;

    /** In {@link #SEQUENCE}, and in {@link #LARGE_SEQUENCE}. */
    static final int PLACES = 3_622;

    static final int LARGE_PLACES = 3_000;

    private ConformanceCorpus() {}

    static void read(String file, Consumer<RecordedScenario> each) {
        InputStream resource = Objects.requireNonNull(
                ConformanceCorpus.class.getResourceAsStream("/conformance/" + file + ".jsonl.gz"), file);
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(new GZIPInputStream(resource), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                each.accept(ScenarioReader.read(line));
            }
        } catch (IOException | InvalidObjectException e) {
            throw new IllegalStateException(file, e);
        }
    }
}
