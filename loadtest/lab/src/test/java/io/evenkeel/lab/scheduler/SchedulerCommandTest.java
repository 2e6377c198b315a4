package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.evenkeel.lab.Lab;
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
    /**
     * Rarely, kube-scheduler preempts a victim that is already gone, and then waits for a deletion that has already
     * happened (kubernetes#141694). It retries such a pod after five minutes, and checks every half minute.
     */
    private static final String SECOND_LOOK_SECONDS = "360";

    /** A filled cluster, for all tests. It has as many nodes as Evenkeel needs to be asked. */
    @TempDir
    private static Path kept = Path.of("");

    /** Of 420 pods. The first cycles pass before Evenkeel has the whole snapshot. */
    private static final int MIN_COMPARED = 210;

    @Test
    @Tag("kube")
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void podsOfEachShape_areBound_andNoHardConstraintIsViolated(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("race.json");
        CommandRun run = smallRace(
                json, 60, "none,mix", "evenkeel,recorded", "--patience", SECOND_LOOK_SECONDS, "--lead-in", "1");
        JsonNode race = race(json, run);
        JsonNode turns = race.path("turns");
        assertEquals(4, turns.size(), run::output);
        double attempts = 0;
        double seconds = 0;
        for (JsonNode turn : turns) {
            assertTrue(turn.path("podsPerSecond").asDouble() > 0, run::output);
            // With so few pods, all may be bound before the start of a turn's second half is noticed.
            attempts += turn.path("attemptP50Millis").asDouble();
            seconds += turn.path("processorSeconds").path("scheduler").asDouble();
            boolean hasConstraints = !turn.path("shape").asText().equals(RaceShape.NONE.words());
            if (hasConstraints && turn.path("side").asText().equals(Side.EVENKEEL.words())) {
                assertTrue(turn.path("cycles").size() > 0, run::output);
            }
            assertTrue(turn.path("peakMemory").path("scheduler").asDouble() > 10, run::output);
        }
        assertTrue(attempts > 0, run::output);
        assertTrue(seconds > 0, run::output);
        assertAllBound_andNothingViolated(race, run);
    }

    @Test
    @Tag("kube")
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void podsWithHardConstraints_areBoundOnEachSide_alsoIfEvenkeelIsKilled(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("race.json");
        // Enough pods that some are left to bind when the kill is noticed half-way, even on a busy machine.
        CommandRun run = smallRace(json, 400, "hard", "evenkeel,lagging,incremental,killed", "--lead-in", "5");
        JsonNode race = race(json, run);
        JsonNode turns = race.path("turns");
        assertEquals(4, turns.size(), run::output);
        assertAllBound_andNothingViolated(race, run);
        assertTrue(
                turn(turns, Side.EVENKEEL)
                                .path("processorSeconds")
                                .path("asked")
                                .asDouble()
                        > 0,
                run::output);
        assertTrue(turn(turns, Side.EVENKEEL).path("cycles").size() > 0, run::output);
        JsonNode outage = turn(turns, Side.KILLED).path("outage");
        double killed = outage.path("killedAtSeconds").asDouble();
        double started = outage.path("startedAtSeconds").asDouble();
        assertTrue(started >= killed + 5, run::output);
        assertTrue(outage.path("backAtSeconds").asDouble() > started, run::output);
        assertTrue(outage.path("podsPerSecondAway").asDouble() > 0, run::output);
    }

    private static JsonNode turn(JsonNode turns, Side side) {
        for (JsonNode turn : turns) {
            if (turn.path("side").asText().equals(side.words())) {
                return turn;
            }
        }
        throw new AssertionError("no turn of " + side.words());
    }

    /**
     * Checks the race's own recount. The mix is not compared with stock: if pods are deleted and others preempt, so few
     * pods can have one violation more or less by chance.
     */
    private static void assertAllBound_andNothingViolated(JsonNode race, CommandRun run) {
        int bound = 0;
        int recounted = 0;
        for (JsonNode bounds : race.path("bounds")) {
            String what = bounds.path("what").asText();
            boolean isRecounted =
                    what.endsWith(": hard constraints violated") && !what.startsWith(RaceShape.MIX.words());
            if (what.endsWith(": bound") || isRecounted) {
                assertTrue(bounds.path("holds").asBoolean(), () -> what + "\n" + run.output());
                bound += isRecounted ? 0 : 1;
                recounted += isRecounted ? 1 : 0;
            }
        }
        assertEquals(race.path("turns").size(), bound, run::output);
        assertTrue(recounted > 0, run::output);
    }

    @Test
    @Tag("kube")
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void noAnswerIsDifferent_whileAllSortsOfObjectsChange(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("race.json");
        CommandRun run = smallRace(json, 420, "change", "shadow,audited", "--lead-in", "5", "--min-wait", "1000");
        JsonNode turns = race(json, run).path("turns");
        assertEquals(2, turns.size(), run::output);
        for (JsonNode turn : turns) {
            JsonNode compared = turn.path("comparisons");
            assertEquals(0, compared.path("different").asLong(-1), run::output);
            assertTrue(compared.path("equal").asLong() >= MIN_COMPARED, turns::toPrettyString);
        }
        for (JsonNode turn : turns) {
            JsonNode rollouts = turn.path("rollouts");
            assertEquals(Spread.OF_WORKLOADS.size(), rollouts.size(), turns::toPrettyString);
            for (JsonNode rollout : rollouts) {
                assertTrue(rollout.path("replicaSets").asInt() >= 2, turns::toPrettyString);
                assertEquals(10, rollout.path("ready").asInt(), turns::toPrettyString);
                assertEquals(0, rollout.path("others").asInt(-1), turns::toPrettyString);
            }
        }
    }

    private static JsonNode race(Path json, CommandRun run) throws IOException {
        assertTrue(Files.exists(json), () -> run.output() + run.errors());
        return new ObjectMapper().readTree(Files.readString(json));
    }

    private static CommandRun smallRace(Path json, int bind, String shapes, String sides, String... more) {
        List<String> arguments = new ArrayList<>(List.of("scheduler", "--nodes", "500", "--pods", "5000"));
        arguments.addAll(List.of("--keep", kept.toString()));
        arguments.addAll(List.of("--bind", Integer.toString(bind), "--json", json.toString()));
        arguments.addAll(List.of("--shapes", shapes, "--sides", sides));
        arguments.addAll(List.of(more));
        return CommandRun.of(Lab.commandLine(), arguments.toArray(String[]::new));
    }

    @Test
    void exitIsTwo_withoutPods() {
        CommandRun run = CommandRun.of(Lab.commandLine(), "scheduler", "--bind", "0");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("--pods, --bind and --patience must be at least 1"), run::errors);
    }

    @Test
    void exitIsTwo_withAnUnknownShape() {
        CommandRun run = CommandRun.of(Lab.commandLine(), "scheduler", "--shapes", "none,odd");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("odd"), run::errors);
    }
}
