package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.evenkeel.commands.Evenkeel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests programs whose standard output cannot be written. */
final class StandardOutputTest {
    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"explain -o json", "explain", "place", "--version", "place --help", ""})
    void commandFails_whenWhatItPrintsCannotBeWritten(String command) throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "this system has no device that is always full");
        Process process = start(ProcessBuilder.Redirect.to(full.toFile()), command);
        String errors = errors(process);
        assertEquals(2, process.exitValue(), errors);
        assertEquals(1, errors.lines().count(), errors);
        assertTrue(errors.startsWith("evenkeel"), errors);
        assertTrue(errors.contains("cannot write to standard output: "), errors);
    }

    @Test
    void commandFailsWithoutAWord_whenNoOneReadsItsOutputAnyMore() throws Exception {
        Process process = start(ProcessBuilder.Redirect.PIPE, "place -o json");
        // It reads the cluster first, and then prints to a pipe without a reader.
        process.getInputStream().close();
        assertEquals("", errors(process));
        assertEquals(141, process.exitValue());
    }

    private Process start(ProcessBuilder.Redirect output, String command) throws IOException {
        List<String> all = new ArrayList<>();
        if (!command.isEmpty()) {
            all.addAll(List.of(command.split(" ")));
        }
        if (!command.contains("--") && !command.isEmpty()) {
            Path cluster = Files.write(directory.resolve("cluster.json.gz"), RealClusterFile.read("cluster.json.gz"));
            all.addAll(List.of("--cluster", cluster.toString(), "shop/stuck-zone-89f4fcf4d-rb6g2"));
        }
        return ForkedJava.of(List.of(), Evenkeel.class, all)
                .redirectOutput(output)
                .start();
    }

    private static String errors(Process process) throws IOException, InterruptedException {
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(1, TimeUnit.MINUTES));
        return errors;
    }
}
