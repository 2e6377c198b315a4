package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.local.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the tests of the Go package {@code feed} that need a control plane and a server. Another test vets it. */
@Tag("kube")
final class GoFeedTest {
    @Test
    void feed_endsEqualToAPlainList(@TempDir Path directory) throws IOException, InterruptedException {
        Path up = Checkout.loadtest("controlplane/up").resolve("controlplane/up");
        Path server = ServerScript.write(directory);
        ProcessBuilder builder = new ProcessBuilder("go", "test", "-vet=off", "-count=1", "-v", "-run", "Live", ".")
                .directory(up.resolve("../../../client/go/feed").normalize().toFile())
                .redirectErrorStream(true);
        builder.environment().put("EVENKEEL_SERVER", server.toString());
        builder.environment().put("EVENKEEL_CONTROL_PLANE", up.toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(10, TimeUnit.MINUTES));
        assertEquals(0, process.exitValue(), output);
        assertTrue(output.contains("--- PASS: TestLive_"), output);
    }
}
