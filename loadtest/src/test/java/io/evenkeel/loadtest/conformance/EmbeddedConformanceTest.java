package io.evenkeel.loadtest.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.embedded.EmbeddedPlacement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replays the corpus on the embedded client, like the command does on a server. */
final class EmbeddedConformanceTest {
    static List<Path> corpusFiles() {
        return Corpus.files();
    }

    @ParameterizedTest
    @Tag("long")
    @MethodSource("corpusFiles")
    void everyAnswer_isKubeSchedulers_readableAndPacked(Path file) throws IOException {
        play(file, client -> new ReadableJudge());
        play(file, PackedJudge::new);
    }

    private static void play(Path file, Function<PlacementClient, Judge> judge) throws IOException {
        List<String> differences = new ArrayList<>();
        Outcome outcome = Outcome.NONE;
        try (PlacementClient client = EmbeddedPlacement.start();
                CorpusReader reader = CorpusReader.open(file);
                ScenarioPlayer player = new ScenarioPlayer(client, judge.apply(client), differences::add)) {
            Scenario scenario = reader.next("0-");
            while (scenario != null) {
                outcome = outcome.plus(player.play(scenario));
                scenario = reader.next(outcome.scenarios() + "-");
            }
        }
        assertEquals(List.of(), differences);
        assertEquals(0, outcome.differences());
        assertTrue(outcome.answers() > 0);
    }
}
