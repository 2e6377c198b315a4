package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.commands.Evenkeel;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

final class EnvironmentOptionsTest {
    private static final String SECRET = "bm90IGEgc2VjcmV0IGJ1dCBsb25nIGVub3VnaA==";

    private Inner inner = new Inner();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Command(name = "evenkeel", mixinStandardHelpOptions = true)
    private static final class Top {}

    @Command(name = "group")
    private static final class Group {}

    /** Options that cannot be combined. */
    private static final class Either {
        @Option(names = "--this")
        private @Nullable String first;

        @Option(names = "--that")
        private @Nullable String second;
    }

    @Command(name = "inner", mixinStandardHelpOptions = true)
    private static final class Inner implements Callable<Integer> {
        @Option(names = "--listen-at", defaultValue = "none")
        private List<String> places = List.of();

        @Option(names = "--on")
        private boolean on;

        @Option(
                names = {"-c", "--count"},
                defaultValue = "1")
        private int count;

        @Option(names = "--files", arity = "1..*")
        private List<Path> files = List.of();

        @ArgGroup(exclusive = true, multiplicity = "0..1")
        private Either either = new Either();

        @Parameters
        private List<String> rest = List.of();

        @Override
        public Integer call() throws IOException {
            if (count < 0) {
                throw new IOException("--count must not be negative");
            }
            return 0;
        }

        private String said() {
            return places + " " + on + " " + count + " " + files + " " + either.first + " " + either.second + " "
                    + rest;
        }
    }

    private int run(Map<String, String> environment, String... arguments) {
        inner = new Inner();
        CommandLine commands =
                new CommandLine(new Top()).addSubcommand(new CommandLine(new Group()).addSubcommand(inner));
        Program.prepare(commands);
        commands.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return Program.run(commands, environment, commands::execute, arguments);
    }

    private void assertSaid(String said, Map<String, String> environment, String... arguments) {
        assertEquals(0, run(environment, arguments), err::toString);
        assertEquals(said, inner.said());
    }

    private void assertRefused(String message, Map<String, String> environment, String... arguments) {
        assertEquals(ExitCodes.NOT_DONE, run(environment, arguments));
        assertEquals("evenkeel group inner: " + message, err.toString().strip());
    }

    private static final String USAGE = " (see evenkeel group inner --help)";

    @Test
    void commandLine_comesBeforeTheEnvironment() {
        assertSaid("[none] false 1 [] null null []", Map.of(), "group", "inner");
        Map<String, String> environment = new TreeMap<>();
        environment.put("EVENKEEL_GROUP_INNER_LISTEN_AT", " e1\ne2 with space \n");
        environment.put("EVENKEEL_GROUP_INNER_ON", "false");
        environment.put("EVENKEEL_GROUP_INNER_COUNT", "3");
        environment.put("EVENKEEL_GROUP_OTHER", "x");
        environment.put("EVENKEEL_JAVA_OPTS", "x");
        assertSaid("[e1, e2 with space] false 3 [] null null []", environment, "group", "inner");
        assertSaid(
                "[c] true 2 [] null null [a, b]",
                environment,
                "group",
                "inner",
                "a",
                "-c2",
                "--on",
                "--listen-at=c",
                "b");
    }

    /** With picocli's default values, a flag that is both preset and on the command line would be off. */
    @Test
    void flagThatIsPresetAndGiven_isOn() {
        assertSaid(
                "[none] true 1 [] null null []", Map.of("EVENKEEL_GROUP_INNER_ON", "true"), "group", "inner", "--on");
    }

    @Test
    void optionThatExcludesAnother_replacesIt() {
        Map<String, String> environment = Map.of("EVENKEEL_GROUP_INNER_THAT", "e");
        assertSaid("[none] false 1 [] null e []", environment, "group", "inner");
        assertSaid("[none] false 1 [] c null []", environment, "group", "inner", "--this=c");
    }

    @Test
    void optionOfSeveralValues_takesOneALine_andNoneOfTheCommandLine() {
        assertSaid(
                "[none] false 1 [a b, c] null null []",
                Map.of("EVENKEEL_GROUP_INNER_FILES", "a b\nc\n"),
                "group",
                "inner");
        assertSaid(
                "[none] false 1 [d] null null []",
                Map.of("EVENKEEL_GROUP_INNER_FILES", "a b\nc\n"),
                "group",
                "inner",
                "--files=d");
    }

    @Test
    void mistakeInTheEnvironment_namesTheVariable() {
        assertRefused(
                "environment variable EVENKEEL_GROUP_INNER_LISTN_AT is not an option of evenkeel group inner; did you mean"
                        + " EVENKEEL_GROUP_INNER_LISTEN_AT?" + USAGE,
                Map.of("EVENKEEL_GROUP_INNER_LISTN_AT", SECRET),
                "group",
                "inner");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ON | yes | EVENKEEL_GROUP_INNER_ON must be true or false",
                "ON | TRUE | EVENKEEL_GROUP_INNER_ON must be true or false",
                "COUNT | '' | EVENKEEL_GROUP_INNER_COUNT must not be empty",
                "LISTEN_AT | ' ' | EVENKEEL_GROUP_INNER_LISTEN_AT must not be empty",
                "COUNT | x | Invalid value for option '--count': 'x' is not an int (--count is set in EVENKEEL_GROUP_INNER_COUNT)",
                "HELP | true | environment variable EVENKEEL_GROUP_INNER_HELP is not an option of evenkeel group inner",
                "C | 1 | environment variable EVENKEEL_GROUP_INNER_C is not an option of evenkeel group inner",
            })
    void wrongValueInTheEnvironment_namesTheVariable(String name, String value, String message) {
        assertRefused(message + USAGE, Map.of("EVENKEEL_GROUP_INNER_" + name, value), "group", "inner");
    }

    @Test
    void valueThatTheCommandRefuses_isReportedWithItsVariable() {
        assertRefused(
                "--count must not be negative (--count is set in EVENKEEL_GROUP_INNER_COUNT)",
                Map.of("EVENKEEL_GROUP_INNER_COUNT", "-1"),
                "group",
                "inner");
    }

    @Test
    void limitsOfServeThatContradictEachOther_areReportedWithTheirVariables() {
        CommandLine commands = Evenkeel.commandLine().setErr(new PrintWriter(err));
        Map<String, String> environment = Map.of("EVENKEEL_SERVE_LAME_DUCK", "3s", "EVENKEEL_SERVE_STOP_WITHIN", "2s");
        assertEquals(ExitCodes.NOT_DONE, Program.run(commands, environment, commands::execute, "serve"));
        assertEquals(
                "evenkeel serve: --lame-duck must be at most --stop-within, 2s, was 3s (--lame-duck is set in"
                        + " EVENKEEL_SERVE_LAME_DUCK, --stop-within is set in EVENKEEL_SERVE_STOP_WITHIN)"
                        + " (see evenkeel serve --help)",
                err.toString().strip());
    }

    @Test
    void help_isShown_whateverIsPreset() {
        assertEquals(0, run(Map.of("EVENKEEL_GROUP_INNER_NONE", "x"), "group", "inner", "--help"), err::toString);
        assertEquals("", err.toString());
    }

    @Test
    void helpOfServe_namesTheVariables() {
        CommandLine commands = Evenkeel.commandLine().setOut(new PrintWriter(out));
        assertEquals(0, commands.execute("serve", "--help"));
        assertEquals(2, out.toString().split("EVENKEEL_SERVE_NAME", -1).length, out::toString);
    }

    @Test
    void wrongCommandLine_isReportedAsWithoutPresets() {
        assertRefused(
                "Unknown option: '--onn'; did you mean --on?" + USAGE,
                Map.of("EVENKEEL_GROUP_INNER_COUNT", "2"),
                "group",
                "inner",
                "--onn");
    }
}
