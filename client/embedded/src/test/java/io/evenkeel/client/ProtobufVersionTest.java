package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.embedded.EmbeddedPlacement;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a client with a protobuf-java that is too old says so. */
final class ProtobufVersionTest {
    @ParameterizedTest
    @ValueSource(strings = {"3.25.5", "4.32.1"})
    void olderVersion_isRefused(String version) throws Exception {
        Path old = Path.of("target", "old-protobuf", "protobuf-java-" + version + ".jar");
        assertTrue(Files.exists(old), old + " must have been copied by the build");
        try (URLClassLoader loader = new URLClassLoader(classPathWith(old), ClassLoader.getPlatformClassLoader())) {
            Method start = loader.loadClass(EmbeddedPlacement.class.getName()).getMethod("start");
            Throwable failure = assertThrows(InvocationTargetException.class, () -> start.invoke(null))
                    .getCause();
            String message = String.valueOf(
                    assertInstanceOf(IllegalStateException.class, failure).getMessage());
            assertTrue(message.contains("at least version " + ProtobufVersion.NEEDED), message);
            assertTrue(message.contains(version), message);
        }
    }

    private static URL[] classPathWith(Path old) throws MalformedURLException {
        List<URL> urls = new ArrayList<>(List.of(old.toUri().toURL()));
        String whole = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : whole.split(File.pathSeparator, -1)) {
            if (!entry.contains("protobuf-java")) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }

    @Test
    void versionOfTheBuild_isAccepted() {
        assertDoesNotThrow(ProtobufVersion::check);
    }

    @Test
    void readme_namesTheOldestVersion() {
        assertTrue(ProjectFiles.read("client/README.md")
                .contains("protobuf-java " + ProtobufVersion.NEEDED + " or later"));
    }
}
