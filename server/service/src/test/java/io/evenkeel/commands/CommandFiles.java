package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The clusters, manifests and expected outputs of the tests of commands. */
final class CommandFiles {
    private static final Path DIRECTORY = Path.of("src/test/resources/commands");

    private CommandFiles() {}

    static Path path(String name) {
        return DIRECTORY.resolve(name).toAbsolutePath();
    }

    /** Runs a command. Arguments that are names of files here are replaced by their paths. */
    static Run run(String... arguments) {
        return Run.of(Arrays.stream(arguments).map(CommandFiles::resolved).toArray(String[]::new));
    }

    private static String resolved(String argument) {
        int name = argument.indexOf('=') + 1;
        int end = argument.indexOf(',') < 0 ? argument.length() : argument.indexOf(',');
        String file = name > end ? argument : argument.substring(name, end);
        return file.matches("[\\w.-]+[.](yaml|txt)") && Files.exists(path(file))
                ? argument.substring(0, name) + path(file) + argument.substring(end)
                : argument;
    }

    /** Checks the output against a file. */
    static void assertOutput(String expected, int exitCode, Run run) throws IOException {
        assertEquals(Files.readString(path(expected)), run.out(), run::err);
        assertEquals(exitCode, run.exitCode(), run::err);
    }

    /**
     * Checks that a command was rejected with one line that starts with {@code start}, apart from warnings and
     * progress.
     */
    static String rejection(String start, Run run) {
        assertEquals(2, run.exitCode(), run::out);
        assertEquals("", run.out());
        List<String> lines = run.err()
                .lines()
                .filter(each -> !each.contains(": warning: ") && !each.endsWith(" ..."))
                .toList();
        assertEquals(1, lines.size(), run::err);
        String line = lines.get(0).replace(DIRECTORY.toAbsolutePath() + "/", "");
        assertEquals(start, line.substring(0, Math.min(start.length(), line.length())), line);
        return line;
    }
}
