package io.evenkeel.loadtest.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.CommandRun;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

final class TimeOptionsTest {
    @Command
    private static final class Measuring {
        @Mixin
        private TimeOptions time = new TimeOptions();
    }

    private static TimeOptions parsed(String... arguments) {
        Measuring command = new Measuring();
        new CommandLine(command).parseArgs(arguments);
        command.time.check();
        return command.time;
    }

    @ParameterizedTest
    @CsvSource({
        "--seconds=3, 3000000000, 10000000000",
        "--seconds=0.25, 250000000, 10000000000",
        "--warmup=0, 3000000000, 0",
        "--warmup=600, 3000000000, 600000000000"
    })
    void times_areThoseOfTheOptions(String option, long nanos, long warmUpNanos) {
        TimeOptions time = parsed(option);
        assertEquals(nanos, time.nanos());
        assertEquals(warmUpNanos, time.warmUpNanos());
    }

    @ParameterizedTest
    @CsvSource({
        "decisions, --seconds, 0",
        "decisions, --seconds, 601",
        "decisions, --warmup, NaN",
        "decisions, --warmup, -1",
        "decisions, --warmup, 1e10",
        "simulate, --seconds, 0",
        "simulate, --warmup, NaN",
        "simulate, --warmup, soon"
    })
    void exitIsTwo_whenATimeIsNoUsableNumber(String command, String option, String value) {
        CommandRun run = CommandRun.of("bench", command, option, value);
        assertEquals(2, run.exitCode());
        assertEquals("", run.output());
        assertTrue(run.errors().contains(option), run::errors);
    }
}
