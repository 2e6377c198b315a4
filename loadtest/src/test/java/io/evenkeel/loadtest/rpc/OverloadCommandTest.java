package io.evenkeel.loadtest.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.CommandRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests the command line, on a small cluster in a server in a separate JVM. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
final class OverloadCommandTest {
    @Test
    void everyFigure_isMeasured() {
        CommandRun run = CommandRun.of(
                "bench",
                "overload",
                "--nodes",
                "500",
                "--pods",
                "5000",
                "--seconds",
                "0.5",
                "--warmup",
                "1",
                "--rounds",
                "1");
        assertTrue(run.lastLine().matches("[0-9] of 9 bounds hold"), () -> run.output() + run.errors());
        assertEquals(run.lastLine().startsWith("9") ? 0 : 1, run.exitCode(), () -> run.output() + run.errors());
    }

    @Test
    void wrongNumbers_areRejected() {
        assertEquals(2, CommandRun.of("bench", "overload", "--rounds", "0").exitCode());
        assertEquals(2, CommandRun.of("bench", "overload", "--seconds", "0").exitCode());
    }
}
