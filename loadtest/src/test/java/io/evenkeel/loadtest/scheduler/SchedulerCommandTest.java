package io.evenkeel.loadtest.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.evenkeel.loadtest.CommandRun;
import io.evenkeel.loadtest.cluster.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        CommandRun run = smallRace(
                json, 120, "none,hard,soft,mix", "stock,recorded,waiting", "--lead-in", "1", "--html", html.toString());
        JsonNode race = race(json, run);
        JsonNode turns = race.path("turns");
        assertEquals(12, turns.size(), run::output);
        double attempts = 0;
        double seconds = 0;
        for (JsonNode turn : turns) {
            assertEquals(120, turn.path("boundAtSeconds").size(), run::output);
            assertTrue(turn.path("podsPerSecond").asDouble() > 0, run::output);
            // So few pods may all be bound before the second half of a turn is seen to begin.
            attempts += turn.path("attemptP50Millis").asDouble();
            seconds += turn.path("processorSeconds").path("scheduler").asDouble();
            if (turn.path("side").asText().equals(Side.STOCK.words())
                    && !turn.path("shape").asText().equals(RaceShape.MIX.words())) {
                assertEquals(0, turn.path("violated").size(), run::output);
            }
        }
        assertTrue(attempts > 0, run::output);
        assertTrue(seconds > 0, run::output);
        String page = Files.readString(html);
        assertTrue(page.contains(race.path("begun").asText()));
        assertFalse(page.contains("src="));
    }

    @Test
    @Tag("kube")
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void podsAreBound_byEvenkeelsAnswers_whichEqualThoseOfTheOriginal(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("race.json");
        CommandRun run = smallRace(json, 120, "hard", "evenkeel,shadow", "--lead-in", "5", "--deadline", "5s");
        JsonNode turns = race(json, run).path("turns");
        assertEquals(2, turns.size(), run::output);
        for (JsonNode turn : turns) {
            assertEquals(120, turn.path("boundAtSeconds").size(), run::output);
            assertEquals(0, turn.path("violated").size(), run::output);
        }
        assertTrue(turns.path(0).path("answers").path("evenkeel").asLong() >= 100, run::output);
        JsonNode compared = turns.path(1).path("shadow");
        assertEquals(0, compared.path("different").asLong(-1), run::output);
        assertTrue(compared.path("equal").asLong() >= 114, run::output);
    }

    @Test
    @Tag("kube")
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void onlyAnEventThatIsWithheld_makesAnswersDifferent_whileAllSortsOfObjectsChange(@TempDir Path directory)
            throws IOException {
        Path json = directory.resolve("race.json");
        CommandRun run = smallRace(json, 420, "change", "shadow,withheld", "--lead-in", "5");
        JsonNode turns = race(json, run).path("turns");
        assertEquals(2, turns.size(), run::output);
        for (JsonNode turn : turns) {
            JsonNode compared = turn.path("shadow");
            double comparable = compared.path("equal").asDouble()
                    + compared.path("different").asDouble();
            assertTrue(comparable >= 300, turns::toPrettyString);
            assertTrue(comparable >= 19 * compared.path("notComparable").asDouble(), turns::toPrettyString);
        }
        for (JsonNode turn : turns) {
            JsonNode rollouts = turn.path("rollouts");
            assertEquals(Spread.values().length, rollouts.size(), turns::toPrettyString);
            for (JsonNode rollout : rollouts) {
                assertTrue(rollout.path("replicaSets").asInt() >= 2, turns::toPrettyString);
                assertEquals(10, rollout.path("ready").asInt(), turns::toPrettyString);
                assertEquals(0, rollout.path("others").asInt(-1), turns::toPrettyString);
            }
        }
        assertEquals(0, turns.path(0).path("shadow").path("different").asLong(-1), run::output);
        assertTrue(turns.path(1).path("shadow").path("different").asLong() > 0, run::output);
    }

    private static JsonNode race(Path json, CommandRun run) throws IOException {
        assertTrue(Files.exists(json), () -> run.output() + run.errors());
        return new ObjectMapper().readTree(Files.readString(json));
    }

    private static CommandRun smallRace(Path json, int bind, String shapes, String sides, String... more) {
        List<String> arguments = new ArrayList<>(List.of("bench", "scheduler", "--nodes", "200", "--pods", "4000"));
        arguments.addAll(List.of("--bind", Integer.toString(bind), "--json", json.toString()));
        arguments.addAll(List.of("--shapes", shapes, "--sides", sides));
        arguments.addAll(List.of(more));
        return CommandRun.of(arguments.toArray(String[]::new));
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
