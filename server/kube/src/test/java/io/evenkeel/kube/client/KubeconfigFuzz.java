package io.evenkeel.kube.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;

/** Fuzzes kubeconfigs. Each must be usable, or be rejected with a message that is not about the program's code. */
final class KubeconfigFuzz {
    /** What could name a plugin, which would then be run. */
    private static final Pattern PLUGIN = Pattern.compile("exec|auth-provider|authProvider|[\\\\\\x00]");

    private static final Pattern CODE = Pattern.compile("\\b(java|io\\.evenkeel|io\\.fabric8)\\.[\\w.]+");

    @TempDir
    private Path directory = Path.of("");

    @FuzzTest
    void file_isReadOrRejected(byte[] data) throws IOException {
        if (PLUGIN.matcher(new String(data, StandardCharsets.ISO_8859_1)).find()) {
            return;
        }
        Path file = Files.write(directory.resolve("config"), data);
        try {
            ClusterAccess access = ClusterAccess.of(file, null);
            assertNotNull(access.namespace());
            access.open().close();
        } catch (ConfigurationException e) {
            String message = String.valueOf(e.getMessage());
            assertFalse(CODE.matcher(message).find(), message);
        }
    }
}
