package io.evenkeel.loadtest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the command line as a program of its own, for what depends on its environment. */
public final class ProgramRun {
    private ProgramRun() {}

    /**
     * What it printed, and its exit code.
     *
     * @param path the PATH that it has
     * @param directory for its output
     */
    public static CommandRun of(String path, Path directory, String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Evenkeel.class.getName()));
        command.addAll(List.of(args));
        Path output = directory.resolve("output");
        Path errors = directory.resolve("errors");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
        builder.environment().put("PATH", path);
        Process process = builder.start();
        assertTrue(process.waitFor(2, TimeUnit.MINUTES));
        return new CommandRun(
                process.exitValue(),
                Files.readString(output, StandardCharsets.UTF_8),
                Files.readString(errors, StandardCharsets.UTF_8));
    }
}
