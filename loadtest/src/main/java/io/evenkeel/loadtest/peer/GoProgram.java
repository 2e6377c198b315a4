package io.evenkeel.loadtest.peer;

import io.evenkeel.cli.CommandFailure;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Builds a Go program from its sources, and runs it. */
final class GoProgram {
    private final Path go;
    private final Path sources;
    private final Path binary;

    /**
     * @param go the go command
     * @param sources the directory of its go.mod
     * @param binary the file of the built program
     */
    GoProgram(Path go, Path sources, Path binary) {
        this.go = go;
        this.sources = sources;
        this.binary = binary.toAbsolutePath();
    }

    /** The go command in the first directory of {@code path} that has one, or null if there is none. */
    static @Nullable Path findGo(String path) {
        for (String directory : path.split(File.pathSeparator, -1)) {
            Path go = Path.of(directory, "go");
            if (!directory.isEmpty() && Files.isRegularFile(go) && Files.isExecutable(go)) {
                return go.toAbsolutePath();
            }
        }
        return null;
    }

    /**
     * Builds the program. This is quick if nothing has changed. The first build downloads the modules that it needs.
     *
     * @throws IOException if the build fails; contains its output
     */
    void build() throws IOException, InterruptedException {
        Files.createDirectories(binary.getParent());
        execute(List.of(go.toString(), "build", "-o", binary.toString(), "."), line -> {});
    }

    /**
     * Runs the program until it ends.
     *
     * @param output receives each line that it prints
     * @throws IOException if it fails; contains its last output
     */
    void run(List<String> arguments, Consumer<String> output) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(binary.toString());
        command.addAll(arguments);
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
