package io.evenkeel.architecture;

import java.nio.file.Files;
import java.nio.file.Path;

/** The source tree in which tests run. */
final class SourceTree {
    private SourceTree() {}

    static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("evenkeel")) && Files.exists(at.resolve("proto"))) {
                return at;
            }
        }
        throw new IllegalStateException("not within the project: " + Path.of("").toAbsolutePath());
    }
}
