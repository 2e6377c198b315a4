package io.evenkeel.loadtest.local;

import io.evenkeel.v1.ClusterObject;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;

/** Writes clusters as length-delimited {@code evenkeel.v1.ClusterObject} messages, which the Go programs read. */
public final class ClusterFile {
    private static final int BUFFER = 1 << 20;

    private ClusterFile() {}

    public static void write(Iterator<ClusterObject> objects, Path file) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER)) {
            while (objects.hasNext()) {
                objects.next().writeDelimitedTo(out);
            }
        }
    }
}
