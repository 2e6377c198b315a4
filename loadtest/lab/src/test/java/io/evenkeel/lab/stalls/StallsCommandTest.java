package io.evenkeel.lab.stalls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.evenkeel.lab.Lab;
import io.evenkeel.loadtest.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
final class StallsCommandTest {
    private static final int ACTS = 14;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void eachActIsMeasured_andOneThatHoldsTooLongFailsTheCommand() throws IOException {
        Path json = directory.resolve("stalls.json");
        CommandRun run = CommandRun.of(
                Lab.commandLine(),
                "stalls",
                "--nodes",
                "30",
                "--pods",
                "900",
                "--repetitions",
                "2",
                "--millis",
                "20",
                "--json",
                json.toString());
        assertEquals("", run.errors());
        List<String> verdicts = run.output()
                .lines()
                .map(String::stripTrailing)
                .filter(line -> line.endsWith(" yes") || line.endsWith(" NO"))
                .toList();
        assertEquals(ACTS, verdicts.size(), run::output);
        long missed = verdicts.stream().filter(row -> row.endsWith(" NO")).count();
        assertEquals((ACTS - missed) + " of " + ACTS + " bounds hold", run.lastLine());
        assertEquals(missed == 0 ? 0 : 1, run.exitCode(), run::output);
        JsonArray acts =
                JsonParser.parseString(Files.readString(json)).getAsJsonObject().getAsJsonArray("acts");
        assertEquals(ACTS, acts.size());
        for (JsonElement act : acts) {
            JsonObject row = act.getAsJsonObject();
            assertTrue(row.getAsJsonObject("waiting").get("leastMillis").getAsDouble() > 0, row::toString);
        }
        assertTrue(
                acts.get(2)
                                .getAsJsonObject()
                                .getAsJsonObject("writeHold")
                                .get("leastMillis")
                                .getAsDouble()
                        > 0,
                "the end of a snapshot writes");
    }

    @Test
    void exitIsTwo_whenNoActHasTheText() {
        CommandRun run =
                CommandRun.of(Lab.commandLine(), "stalls", "--nodes", "30", "--pods", "300", "--only", "nothing");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("--only must be part of an act's row, was 'nothing'"), run::errors);
    }

    @Test
    void exitIsTwo_withoutPods() {
        CommandRun run = CommandRun.of(Lab.commandLine(), "stalls", "--pods", "0");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("--pods must be at least 1"), run::errors);
    }
}
