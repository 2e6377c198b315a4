package io.evenkeel.loadtest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class LoadtestMainTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void everyCommand_reportsTheVersion() {
        List<List<String>> commands = new ArrayList<>();
        gather(LoadtestMain.commandLine(), List.of(), commands);
        assertTrue(commands.contains(List.of("bench", "feed")), commands::toString);
        for (List<String> command : commands) {
            List<String> args = new ArrayList<>(command);
            args.add("--version");
            CommandRun run = CommandRun.of(args.toArray(String[]::new));
            assertEquals(0, run.exitCode(), run::errors);
            // The command line is in the server's jar if the modules are packaged, and in no jar if they are only
            // compiled.
            assertTrue(
                    run.output().strip().matches("evenkeel (\\(not from a jar\\)|\\d+\\.\\d+\\.\\d+.*)"), run::output);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "bench --help", "bench cluster --nodes 2 --pods 2 --out cluster.json"})
    void exitIsTwo_whenWhatItPrintsCannotBeWritten(String command) throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "this system has no /dev/full");
        String[] args =
                command.replace("cluster.json", directory + "/cluster.json").split(" ", -1);
        CommandRun run = ProgramRun.printingTo(full, directory, args);
        assertEquals(2, run.exitCode(), run::errors);
        assertEquals(1, run.errors().lines().count(), run::errors);
        assertTrue(run.errors().contains("cannot write to standard output: "), run::errors);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bench rcp | did you mean rpc? (see evenkeel bench --help)",
                "bench fed | did you mean feed? (see evenkeel bench --help)",
                "laod | did you mean load? (see evenkeel --help)",
                "load --sever x:1 | did you mean --server? (see evenkeel load --help)",
                "conformance --pakced a.gz | did you mean --packed? (see evenkeel conformance --help)"
            })
    void mistypedCommandOrOption_isAskedAfter(String command, String question) {
        CommandRun run = CommandRun.of(command.split(" ", -1));
        assertEquals(2, run.exitCode());
        assertEquals(1, run.errors().lines().count(), run::errors);
        assertTrue(run.errors().strip().endsWith(question), run::errors);
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
