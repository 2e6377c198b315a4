package io.evenkeel.loadtest.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.evenkeel.loadtest.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class SchedulerCommandTest {
    @Test
    @Tag("kube")
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void podsOfEachShape_areBound_andNoHardConstraintIsViolated(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("race.json");
        Path html = directory.resolve("race.html");
        CommandRun run = CommandRun.of(
                "bench",
                "scheduler",
                "--nodes",
                "200",
                "--pods",
                "4000",
                "--bind",
                "120",
                "--shapes",
                "none,hard,soft,mix",
                "--sides",
                "stock,recorded",
                "--json",
                json.toString(),
                "--html",
                html.toString());
        JsonNode race = new ObjectMapper().readTree(Files.readString(json));
        assertEquals(8, race.path("turns").size(), run::output);
        for (JsonNode turn : race.path("turns")) {
            assertEquals(120, turn.path("boundAtSeconds").size(), run::output);
            assertTrue(turn.path("podsPerSecond").asDouble() > 0, run::output);
            assertTrue(turn.path("attemptP50Millis").asDouble() > 0, run::output);
            assertTrue(turn.path("processorSeconds").path("scheduler").asDouble() > 0, run::output);
            if (turn.path("side").asText().equals(Side.STOCK.words())
                    && !turn.path("shape").asText().equals(RaceShape.MIX.words())) {
                assertEquals(0, turn.path("violated").size(), run::output);
            }
        }
        String page = Files.readString(html);
        assertTrue(page.contains(race.path("begun").asText()));
        assertFalse(page.contains("src="));
    }

    @Test
    void exitIsTwo_withoutPods() {
        CommandRun run = CommandRun.of("bench", "scheduler", "--bind", "0");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("--pods, --bind and --patience must be at least 1"), run::errors);
    }

    @Test
    void exitIsTwo_withAnUnknownShape() {
        CommandRun run = CommandRun.of("bench", "scheduler", "--shapes", "none,odd");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("odd"), run::errors);
    }
}
