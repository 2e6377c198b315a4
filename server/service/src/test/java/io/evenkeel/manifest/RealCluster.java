package io.evenkeel.manifest;

import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.RealFiles;
import io.evenkeel.objects.WatchedObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

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

    public static List<Message> objects(String name) throws IOException {
        try (ObjectReader reader = ObjectReader.of(RealFiles.open(name), name)) {
            List<Message> objects = new ArrayList<>();
            for (Message object = reader.next(); object != null; object = reader.next()) {
                objects.add(object);
            }
            return objects;
        }
    }

    public static List<WatchedObject> events(String name) throws IOException {
        try (RecordedWatchReader reader = RecordedWatchReader.of(RealFiles.open(name), name)) {
            List<WatchedObject> events = new ArrayList<>();
            for (WatchedObject event = reader.next(); event != null; event = reader.next()) {
                events.add(event);
            }
            return events;
        }
    }
}
