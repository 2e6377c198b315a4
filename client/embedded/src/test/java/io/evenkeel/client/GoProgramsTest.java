package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
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

/**
 * Builds the Go programs of the documentation and runs them against a server. Runs only with {@code -Pgo}, because it
 * needs Go 1.26, and the network where modules are not cached.
 */
@Tag("go")
final class GoProgramsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void example_feedsACluster_readsTheAcknowledgements_andAsks() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            String output = go(
                    ProjectFiles.root().resolve("client/go/example"),
                    "run",
                    ".",
                    "-sample",
                    "-target",
                    "127.0.0.1:" + server.port());
            List<String> lines = output.lines().toList();
            assertEquals(7, lines.size(), output);
            assertTrue(lines.get(0).startsWith("0 objects changed something, 0 went; revision "), output);
            assertTrue(lines.get(1).startsWith("7 objects changed something, 0 went; revision "), output);
            assertTrue(lines.get(2).startsWith("0 objects changed something, 0 went; revision "), output);
            assertTrue(lines.get(3).startsWith("2 of 3 nodes may take the pod, at revision "), output);
            assertTrue(lines.get(4).contains("node-b"), output);
            assertTrue(lines.get(5).contains("node-c"), output);
            assertEquals("  1 node(s) didn't match pod topology spread constraints", lines.get(6));
        }
    }

    /** The steps of the README, in a directory of its own. */
    @Test
    void program_isMadeAndRunAsTheReadmeSays() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0));
                PlacementClient client = RemotePlacement.connect("127.0.0.1:" + server.port())) {
            World.add(client, World.zones(2, 1, 1));
            go(directory, "mod", "init", "ask");
            go(directory, "mod", "edit", "-replace", "evenkeel.io/client/go=" + ProjectFiles.root() + "/client/go");
            Files.writeString(directory.resolve("main.go"), ProjectFiles.read("client/go/example/ask/main.go"));
            go(directory, "mod", "tidy");
            assertEquals("node-b 0\nnode-c 0\n", go(directory, "run", ".", "127.0.0.1:" + server.port()));
        }
    }

    @Test
    void packages_passTheirOwnTests() throws Exception {
        Path module = ProjectFiles.root().resolve("client/go");
        go(module, "vet", "./...");
        assertTrue(go(module, "test", "./...").contains("ok  \tevenkeel.io/client/go/nodetable"));
    }

    /** The output of a go command, which must succeed. */
    private String go(Path in, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("go"));
        command.addAll(List.of(arguments));
        Path errors = Files.createTempFile(directory, "errors", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(in.toFile())
                .redirectError(errors.toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(10, TimeUnit.MINUTES));
        assertEquals(0, process.exitValue(), () -> command + ": " + text(errors));
        return output;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }
}
