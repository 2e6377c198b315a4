package io.evenkeel.objects;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Which fields of a message type hold what may be malformed in itself, strings and messages, so that bytes which nobody
 * reads are refused where the generated parser would refuse them. Immutable.
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

    /** The shape of a message type that is not within itself. */
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

    /** Judges all fields of the message that the cursor has entered. */
    public void checkFields(WireCursor wire) throws InvalidProtocolBufferException {
        while (wire.next()) {
            checkValue(wire);
        }
    }

    /** Judges the value of the field that the cursor has gone to, and goes past it. */
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
