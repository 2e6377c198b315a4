package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

final class ProgramTest {
    private final StringWriter err = new StringWriter();

    @Command(name = "program")
    private static final class Failing implements Callable<Integer> {
        private final Exception failure;

        Failing(Exception failure) {
            this.failure = failure;
        }

        @Override
        public Integer call() throws Exception {
            throw failure;
        }
    }

    private int run(Exception failure, String... arguments) {
        CommandLine commands = Program.of(new Failing(failure));
        return commands.setErr(new PrintWriter(err)).execute(arguments);
    }

    static Arguments[] problems() {
        return new Arguments[] {
            Arguments.of(new CommandFailure("one line\n  and another"), "program: one line and another"),
            Arguments.of(new NoSuchFileException("a.json"), "program: a.json: no such file"),
            Arguments.of(new AccessDeniedException("a.json"), "program: a.json: permission denied"),
            Arguments.of(new IOException(), "program: java.io.IOException"),
        };
    }

    @ParameterizedTest
    @MethodSource("problems")
    void commandThatIsNotDone_saysWhyInOneLine(Exception problem, String line) {
        assertEquals(2, run(problem));
        assertEquals(line + System.lineSeparator(), err.toString());
    }

    @Test
    void wrongUsage_isReportedInOneLine() {
        assertEquals(2, run(new IOException("not run"), "surplus"));
        assertEquals(
                "program: Unmatched argument at index 0: 'surplus' (see program --help)",
                err.toString().strip());
    }

    @Test
    void faultOfTheProgram_bringsItsStackTrace() {
        assertEquals(70, run(new IllegalStateException("cannot be")));
        assertEquals(
                "program: internal error: java.lang.IllegalStateException: cannot be",
                err.toString().lines().findFirst().orElse(""));
        assertTrue(err.toString().contains("\tat " + ProgramTest.class.getName()), err.toString());
    }
}
