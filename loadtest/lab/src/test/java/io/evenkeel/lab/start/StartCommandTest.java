package io.evenkeel.lab.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.lab.Lab;
import io.evenkeel.loadtest.CommandRun;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
final class StartCommandTest {
    @Test
    void bothServers_haveARow_andTheBoundDecidesTheExitCode() {
        CommandRun run = CommandRun.of(
                Lab.commandLine(),
                "start",
                "--nodes",
                "20",
                "--pods",
                "500",
                "--seconds",
                "1",
                "--calls",
                "50",
                "--starts",
                "2");
        List<String> lines = run.output().lines().toList();
        assertEquals(
                1,
                lines.stream()
                        .filter(line -> line.strip().startsWith("without a warm-up"))
                        .count(),
                () -> run.output() + run.errors());
        assertEquals(
                1,
                lines.stream()
                        .filter(line -> line.strip().startsWith("warmed up"))
                        .count(),
                run::output);
        assertEquals(run.exitCode() == 0 ? "1 of 1 bounds hold" : "0 of 1 bounds hold", run.lastLine());
        assertTrue(run.exitCode() <= 1, run::errors);
    }

    @Test
    void exitIsTwo_withoutPods() {
        CommandRun run = CommandRun.of(Lab.commandLine(), "start", "--pods", "0");
        assertEquals(2, run.exitCode());
        assertTrue(run.errors().contains("--pods must be at least 1"), run::errors);
    }
}
