package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.local.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code go vet} and the tests of the Go module {@code scheduler}, which start a server if they need one. */
@Tag("kube")
final class GoSchedulerTest {
    @Test
    void scheduler_passesItsOwnTests(@TempDir Path directory) throws IOException, InterruptedException {
        Path module = Checkout.loadtest("controlplane/up")
                .resolve("../client/go/scheduler")
                .normalize();
        Path server = ServerScript.write(directory);
        go(module, server, "vet", "-trimpath", "./...");
        // Without -vet=off, go test would check all packages again, those of Kubernetes included.
        String output = go(module, server, "test", "-trimpath", "-vet=off", "-count=1", "-v", "./...");
        assertTrue(output.contains("--- PASS: TestPlugin_"), output);
        assertFalse(output.contains("--- SKIP"), output);
    }

    /** The output of a go command, which must succeed. */
    private static String go(Path module, Path server, String... arguments) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("go");
        builder.command().addAll(List.of(arguments));
        builder.directory(module.toFile()).redirectErrorStream(true);
        builder.environment().put("EVENKEEL_SERVER", server.toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(20, TimeUnit.MINUTES));
        assertEquals(0, process.exitValue(), output);
        return output;
    }
}
