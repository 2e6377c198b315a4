package io.evenkeel.lab.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.lab.Lab;
import io.evenkeel.loadtest.CommandRun;
import org.junit.jupiter.api.Test;

final class StartCommandTest {
    @Test
    void exitIsTwo_withoutPods() {
        CommandRun run = CommandRun.of(Lab.commandLine(), "start", "--pods", "0");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("--pods must be at least 1"), run::errors);
    }
}
