package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.loadtest.local.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the checks and tests of the Go program with the plugins that Evenkeel's is compared with. */
@Tag("kube")
final class RecordedPluginTest {
    /** Without {@code -vet=off}, go test would check all packages again, those of Kubernetes included. */
    @ParameterizedTest
    @ValueSource(strings = {"go vet -trimpath ./...", "go test -trimpath -vet=off ./..."})
    void goModule_isWell(String command) throws IOException, InterruptedException {
        Process go = new ProcessBuilder(command.split(" ", -1))
                .directory(Checkout.loadtest("scheduler/go.mod")
                        .resolve("scheduler")
                        .toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(go.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, go.waitFor(), said);
    }
}
