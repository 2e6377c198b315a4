package io.evenkeel.manifest;

import com.google.protobuf.Message;
import io.evenkeel.objects.RealFiles;
import io.evenkeel.objects.WatchedObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A real cluster's objects and watches, in the forms in which an API server and kubectl give them. */
public final class RealCluster {
    private RealCluster() {}

    /** The kind of that name in small letters, singular or plural, as file names have it. */
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
        try (WatchReader reader = WatchReader.of(RealFiles.open(name), name)) {
            List<WatchedObject> events = new ArrayList<>();
            for (WatchedObject event = reader.next(); event != null; event = reader.next()) {
                events.add(event);
            }
            return events;
        }
    }
}
