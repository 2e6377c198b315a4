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
        String text = new String(data, StandardCharsets.ISO_8859_1);
        if (PLUGIN.matcher(text).find()) {
            return;
        }
        Path file = Files.write(directory.resolve("config"), data);
        try {
            ClusterAccess access = ClusterAccess.of(file, null);
            assertNotNull(access.namespace());
            access.open().close();
        } catch (ConfigurationException e) {
            String message = String.valueOf(e.getMessage());
            // A message may quote the file, and the file may name a class.
            assertFalse(CODE.matcher(message).results().anyMatch(name -> !text.contains(name.group())), message);
        }
    }
}
