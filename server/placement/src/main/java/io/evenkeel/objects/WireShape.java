package io.evenkeel.objects;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks message fields that are skipped without being parsed, and refuses what the generated parser would refuse. It
 * knows which fields of a message type hold strings and messages, which may be malformed in themselves. Immutable.
 *
 * <pre>
 *   children[field]    SKIPPED, STRING, or the shape of the message there; fields beyond the array are skipped
 * </pre>
 */
public final class WireShape {
    private static final WireShape STRING = new WireShape();
    private static final WireShape SKIPPED = new WireShape();

    private WireShape[] children = {};

    private WireShape() {}

    /** The shape of a message type. The type must not contain itself. */
    public static WireShape of(Descriptor type) {
        return of(type, new HashMap<>());
    }

    private static WireShape of(Descriptor type, Map<Descriptor, WireShape> made) {
        WireShape known = made.get(type);
        if (known != null) {
            return known;
        }
        WireShape shape = new WireShape();
        int limit = type.getFields().stream()
                        .mapToInt(FieldDescriptor::getNumber)
                        .max()
                        .orElse(0)
                + 1;
        WireShape[] children = new WireShape[limit];
        Arrays.fill(children, SKIPPED);
        made.put(type, shape);
        for (FieldDescriptor field : type.getFields()) {
            children[field.getNumber()] = switch (field.getJavaType()) {
                case STRING -> STRING;
                case MESSAGE -> of(field.getMessageType(), made);
                default -> SKIPPED;
            };
        }
        shape.children = children;
        return shape;
    }

    /** The shape of a field that holds messages. */
    public WireShape child(int field) {
        return children[field];
    }

    /** Checks all fields of the message that the cursor has entered. */
    public void checkFields(WireCursor wire) throws InvalidProtocolBufferException {
        while (wire.next()) {
            checkValue(wire);
        }
    }

    /** Checks the value of the current field, and moves past it. */
    public void checkValue(WireCursor wire) throws InvalidProtocolBufferException {
        int field = wire.field();
        WireShape child = field < children.length && wire.isDelimited() ? children[field] : SKIPPED;
        if (child == SKIPPED) {
            wire.skip();
        } else if (child == STRING) {
            wire.readString();
        } else {
            int outer = wire.enter();
            child.checkFields(wire);
            wire.leave(outer);
        }
    }
}
