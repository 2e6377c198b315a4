package io.evenkeel.objects;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/** Files of a real cluster's objects and watches: see the README.md among them. */
public final class RealFiles {
    private RealFiles() {}

    /** The file as it is. */
    public static InputStream open(String name) {
        return Objects.requireNonNull(RealFiles.class.getResourceAsStream("/real/" + name), name);
    }

    /** The file's text or bytes, decompressed. */
    public static byte[] read(String name) throws IOException {
        try (InputStream file = open(name);
                InputStream content = name.endsWith(".gz") ? new GZIPInputStream(file) : file) {
            return content.readAllBytes();
        }
    }
}
