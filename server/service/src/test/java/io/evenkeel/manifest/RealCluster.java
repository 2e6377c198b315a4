package io.evenkeel.manifest;

import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** A real cluster's objects and watches, in the formats of an API server and of kubectl. */
public final class RealCluster {
    private RealCluster() {}

    /** The kind with that lower-case name, singular or plural, as in file names. */
    public static ObjectKind kind(String name) {
        String singular = name.endsWith("s") ? name.substring(0, name.length() - 1) : name;
        return Stream.of(ObjectKind.values())
                .filter(kind -> kind.kindName().equalsIgnoreCase(singular))
                .findFirst()
                .orElseThrow();
    }

    /** The unchanged file. */
    public static InputStream open(String name) {
        return Objects.requireNonNull(RealCluster.class.getResourceAsStream("/real/" + name), name);
    }

    /** The file's text or bytes, decompressed. */
    public static byte[] read(String name) throws IOException {
        try (InputStream file = open(name);
                InputStream content = name.endsWith(".gz") ? new GZIPInputStream(file) : file) {
            return content.readAllBytes();
        }
    }

    public static List<Message> objects(String name) throws IOException {
        try (ObjectReader reader = ObjectReader.of(open(name), name)) {
            List<Message> objects = new ArrayList<>();
            for (Message object = reader.next(); object != null; object = reader.next()) {
                objects.add(object);
            }
            return objects;
        }
    }

    public static List<WatchedObject> events(String name) throws IOException {
        try (RecordedWatchReader reader = RecordedWatchReader.of(open(name), name)) {
            List<WatchedObject> events = new ArrayList<>();
            for (WatchedObject event = reader.next(); event != null; event = reader.next()) {
                events.add(event);
            }
            return events;
        }
    }
}
