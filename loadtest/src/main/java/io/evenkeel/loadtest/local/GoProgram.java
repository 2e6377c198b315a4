package io.evenkeel.loadtest.local;

import io.evenkeel.cli.CommandFailure;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A Go program that is built from sources of the checkout. */
public final class GoProgram {
    private final Path sources;
    private final Path program;

    /**
     * @param sources the directory of the program's main package
     * @param program the path for the built program; its directory must exist
     */
    public GoProgram(Path sources, Path program) {
        this.sources = sources;
        this.program = program;
    }

    /** Whether there is a go command on the {@code PATH}. */
    public static boolean canBeBuilt() {
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Stream.of(path.split(File.pathSeparator, -1))
                .anyMatch(each -> !each.isEmpty() && Files.isExecutable(Path.of(each, "go")));
    }

    /** Builds it, which is quick if nothing has changed. */
    public void build() throws IOException, InterruptedException {
        execute(List.of("go", "build", "-o", program.toString(), "."), line -> {});
    }

    /**
     * Runs it to its end.
     *
     * @param output receives each line of its output
     * @throws IOException if it fails
     */
    public void run(Consumer<String> output, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        execute(command, output);
    }

    private void execute(List<String> command, Consumer<String> output) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(sources.toFile())
                .redirectErrorStream(true)
                .start();
        List<String> said = new ArrayList<>();
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.add(line);
                output.accept(line);
            }
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new CommandFailure(
                        String.join(" ", command) + " (in " + sources + ") exited with " + exitCode, said);
            }
        } finally {
            process.destroy();
        }
    }
}
