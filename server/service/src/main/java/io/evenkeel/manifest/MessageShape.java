package io.evenkeel.manifest;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.evenkeel.objects.SimilarNames;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Looks up the fields of a message type by their JSON names. */
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

    /** The name of the field that was probably meant by an unknown name, or null. */
    @Nullable
    String nearest(String jsonName) {
        return SimilarNames.nearest(jsonName, fields.keySet());
    }

    /** The field with that name, or null. */
    @Nullable
    FieldDescriptor field(String jsonName) {
        return fields.get(jsonName);
    }
}
