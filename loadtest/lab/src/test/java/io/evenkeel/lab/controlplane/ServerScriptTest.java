package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class ServerScriptTest {
    @Test
    @Timeout(120)
    void server_endsWithTheStandardInput(@TempDir Path directory) throws Exception {
        Process server = new ProcessBuilder(ServerScript.write(directory).toString(), "0")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = server.inputReader(StandardCharsets.UTF_8)) {
            assertTrue(String.valueOf(output.readLine()).startsWith("evenkeel listens on "));
            server.getOutputStream().close();
            server.waitFor();
        } finally {
            server.destroyForcibly();
        }
    }
}
