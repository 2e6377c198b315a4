package io.evenkeel.manifest;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.evenkeel.objects.NearNames;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The fields of a message by their JSON names. */
final class MessageShape {
    private static final Map<Descriptor, MessageShape> SHAPES = new ConcurrentHashMap<>();

    private final Map<String, FieldDescriptor> fields = new HashMap<>();

    private MessageShape(Descriptor message) {
        for (FieldDescriptor field : message.getFields()) {
            fields.put(field.getJsonName(), field);
        }
    }

    static MessageShape of(Descriptor message) {
        MessageShape shape = SHAPES.get(message);
        return shape != null ? shape : SHAPES.computeIfAbsent(message, MessageShape::new);
    }

    /** The field whose name was probably meant by one that the message lacks, or null. */
    @Nullable
    String nearest(String jsonName) {
        return NearNames.nearest(jsonName, fields.keySet());
    }

    /** The field of that name, or null. */
    @Nullable
    FieldDescriptor field(String jsonName) {
        return fields.get(jsonName);
    }
}
