package io.evenkeel.objects;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ObjectMeta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the kinds of objects appear in messages. The number of a kind is that of its constant in the contract's
 * ObjectKind, and that of its field in {@link ClusterObject}.
 */
public final class KindMessages {
    private static final List<ObjectKind> KINDS = List.copyOf(ObjectKind.ALL);

    private KindMessages() {}

    /** The kind with this number; null if there is none. */
    public static @Nullable ObjectKind ofNumber(int number) {
        return number >= 1 && number <= KINDS.size() ? KINDS.get(number - 1) : null;
    }

    /** The number of the kind. */
    public static int number(ObjectKind kind) {
        return kind.ordinal() + 1;
    }

    /** The constant of the contract. */
    public static io.evenkeel.v1.ObjectKind inMessages(ObjectKind kind) {
        return io.evenkeel.v1.ObjectKind.forNumber(number(kind));
    }

    /** The field of a {@link ClusterObject} that contains an object of the kind. */
    public static FieldDescriptor field(ObjectKind kind) {
        return ClusterObject.getDescriptor().findFieldByNumber(number(kind));
    }

    /** An empty object of the kind. */
    public static Message prototype(ObjectKind kind) {
        return (Message) ClusterObject.getDefaultInstance().getField(field(kind));
    }

    /** The kind of the object in a message; null if there is none. */
    public static @Nullable ObjectKind kindOf(ClusterObject object) {
        return ofNumber(object.getObjectCase().getNumber());
    }

    /** The metadata of the object in a message; empty if there is no object. */
    public static ObjectMeta metadata(ClusterObject object) {
        ObjectKind kind = kindOf(object);
        if (kind == null) {
            return ObjectMeta.getDefaultInstance();
        }
        Message message = (Message) object.getField(field(kind));
        return (ObjectMeta) message.getField(message.getDescriptorForType().findFieldByName("metadata"));
    }
}
