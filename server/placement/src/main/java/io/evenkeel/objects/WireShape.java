package io.evenkeel.objects;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks message fields that are skipped without being parsed. Rejects what the generated parser would reject: it knows
 * which fields of a message type are strings and messages, whose content may be malformed. Immutable.
 *
 * <pre>
 *   children[field]    SKIPPED, STRING, or the shape of the nested message; fields beyond the array are skipped
 * </pre>
 */
public final class WireShape {
    private static final WireShape STRING = new WireShape();
    private static final WireShape SKIPPED = new WireShape();

    private WireShape[] children = {};

    private WireShape() {}

    /**
     * The shape of a message type. The type must not be recursive, and must not contain repeated numbers, because
     * packed fields are not checked.
     */
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

    /** The shape of the messages in a field. */
    public WireShape child(int field) {
        return children[field];
    }

    /** Checks all fields of the message that the cursor has entered, and moves to its end. */
    public void checkFields(WireCursor wire) throws InvalidProtocolBufferException {
        check(wire.bytes(), wire.position(), wire.limit(), wire.depth());
        wire.moveToLimit();
    }

    /** Checks the value of the current field, and moves past it. */
    public void checkValue(WireCursor wire) throws InvalidProtocolBufferException {
        WireShape child = wire.isDelimited() ? childOf(wire.field()) : SKIPPED;
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

    private WireShape childOf(int field) {
        return field < children.length ? children[field] : SKIPPED;
    }

    /**
     * Checks all fields of a message nested {@code depth} deep. Most of the time to read a pod is spent here, so common
     * fields are checked without a cursor; only unusual fields need one.
     */
    private void check(byte[] bytes, int from, int to, int depth) throws InvalidProtocolBufferException {
        int at = from;
        while (at < to) {
            int next = afterUsualField(bytes, at, to, depth);
            at = next > 0 ? next : afterField(bytes, at, to, depth);
        }
    }

    /**
     * Checks a field whose tag and whose length or value take one or two bytes each. Returns the position after it, or
     * 0 for any other field.
     */
    private int afterUsualField(byte[] bytes, int from, int to, int depth) throws InvalidProtocolBufferException {
        int at = from;
        int tag = bytes[at++];
        if (tag < 0) {
            if (at == to || bytes[at] < 0) {
                return 0;
            }
            tag = tag & 0x7F | bytes[at++] << 7;
        }
        int type = tag & WireCursor.TYPE_MASK;
        int field = tag >>> WireCursor.TYPE_BITS;
        if (field == 0 || at == to || type != WireCursor.DELIMITED && type != WireCursor.VARINT) {
            return 0;
        }
        int value = bytes[at++];
        if (value < 0) {
            if (at == to || bytes[at] < 0) {
                return 0;
            }
            value = value & 0x7F | bytes[at++] << 7;
        }
        if (type == WireCursor.VARINT) {
            return at;
        }
        if (value > to - at) {
            return 0;
        }
        if (value == 0) {
            // Most fields that API servers send are empty.
            return at;
        }
        int end = at + value;
        WireShape child = childOf(field);
        if (child == STRING) {
            return WireCursor.isAscii(bytes, at, end) ? end : 0;
        }
        if (child != SKIPPED) {
            if (depth == WireCursor.MAX_DEPTH) {
                return 0;
            }
            child.check(bytes, at, end, depth + 1);
        }
        return end;
    }

    private int afterField(byte[] bytes, int from, int to, int depth) throws InvalidProtocolBufferException {
        WireCursor wire = new WireCursor(bytes, from, to, depth);
        if (wire.next()) {
            checkValue(wire);
        }
        return wire.position();
    }
}
