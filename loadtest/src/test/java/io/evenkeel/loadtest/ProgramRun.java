package io.evenkeel.loadtest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the command line as a separate program, for tests that depend on its environment. */
public final class ProgramRun {
    private static final String OUTPUT = "output";
    private static final String ERRORS = "errors";

    private ProgramRun() {}

    /**
     * Runs the program to its end.
     *
     * @param main the program's class
     * @param path the program's {@code PATH}
     * @param directory a directory for its output
     */
    public static CommandRun of(Class<?> main, String path, Path directory, String... args)
            throws IOException, InterruptedException {
        Process process = start(main, path, directory.resolve(OUTPUT), directory, args);
        assertTrue(process.waitFor(2, TimeUnit.MINUTES));
        return new CommandRun(
                process.exitValue(),
                Files.readString(directory.resolve(OUTPUT), StandardCharsets.UTF_8),
                Files.readString(directory.resolve(ERRORS), StandardCharsets.UTF_8));
    }

    /** Runs the program with {@code output} as its standard output. */
    static CommandRun printingTo(Path output, Path directory, String... args) throws IOException, InterruptedException {
        Process process = start(LoadtestMain.class, System.getenv("PATH"), output, directory, args);
        assertTrue(process.waitFor(2, TimeUnit.MINUTES));
        return new CommandRun(
                process.exitValue(), "", Files.readString(directory.resolve(ERRORS), StandardCharsets.UTF_8));
    }

    /** Starts the program. */
    public static Process start(String path, Path directory, String... args) throws IOException {
        return start(LoadtestMain.class, path, directory.resolve(OUTPUT), directory, args);
    }

    private static Process start(Class<?> main, String path, Path output, Path directory, String... args)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(directory.resolve(ERRORS).toFile());
        builder.environment().put("PATH", path);
        return builder.start();
    }
}
