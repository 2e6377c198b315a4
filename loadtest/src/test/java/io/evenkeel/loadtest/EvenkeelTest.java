package io.evenkeel.loadtest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class EvenkeelTest {
    @Test
    void everyCommand_tellsTheVersion() {
        List<List<String>> commands = new ArrayList<>();
        gather(Evenkeel.commandLine(), List.of(), commands);
        assertTrue(commands.contains(List.of("bench", "feed")), commands::toString);
        for (List<String> command : commands) {
            List<String> args = new ArrayList<>(command);
            args.add("--version");
            CommandRun run = CommandRun.of(args.toArray(String[]::new));
            assertEquals(0, run.exitCode(), run::errors);
            // Classes that a test runs are in no jar.
            assertEquals("evenkeel (not from a jar)", run.output().strip(), command::toString);
        }
    }

    private static void gather(CommandLine line, List<String> names, List<List<String>> commands) {
        commands.add(names);
        line.getSubcommands().forEach((name, command) -> {
            List<String> longer = new ArrayList<>(names);
            longer.add(name);
            gather(command, longer, commands);
        });
    }
}
