package io.evenkeel.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds files of the project, for tests that compare them with each other. */
final class ProjectFiles {
    private ProjectFiles() {}

    /** @param path from the project's root */
    static String read(String path) {
        try {
            return Files.readString(root().resolve(path));
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    static Path root() {
        for (Path directory = Path.of("").toAbsolutePath(); directory != null; directory = directory.getParent()) {
            if (Files.exists(directory.resolve("proto/pom.xml"))) {
                return directory;
            }
        }
        throw new IllegalStateException("not within the project: " + Path.of("").toAbsolutePath());
    }
}
