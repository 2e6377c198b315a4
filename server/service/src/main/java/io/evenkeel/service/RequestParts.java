package io.evenkeel.service;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.objects.WireCursor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Bounds the memory that a request takes once it is parsed. Each message and string in it becomes an object of some
 * tens of bytes, while on the wire two bytes are enough for an empty one. So these parts are counted first. Safe for
 * use by several threads.
 *
 * <pre>
 *   bytes of the request ──► count, without making objects ──► parse
 *                                └─► refused beyond MOST parts
 * </pre>
 */
final class RequestParts {
    /** As many parts as a request may have; more than any sensible request of 16 MiB has. */
    static final int MOST = 1 << 20;

    private static final int LEAST_BYTES_OF_A_PART = 2;

    /** The numbers of a packed field take four or eight bytes each, and on the wire as little as one. */
    private static final int PACKED_BYTES_OF_A_PART = 8;

    private final Fields root;

    /** The numbers of a message type's fields that have parts. */
    private static final class Fields {
        private final Map<Integer, Fields> messages = new HashMap<>();
        private final Set<Integer> strings = new HashSet<>();
        private final Set<Integer> numbers = new HashSet<>();
    }

    RequestParts(Descriptor request) {
        root = fields(request, new HashMap<>());
    }

    private static Fields fields(Descriptor type, Map<Descriptor, Fields> known) {
        Fields there = known.get(type);
        if (there != null) {
            return there;
        }
        Fields fields = new Fields();
        known.put(type, fields);
        for (FieldDescriptor field : type.getFields()) {
            switch (field.getJavaType()) {
                case MESSAGE -> fields.messages.put(field.getNumber(), fields(field.getMessageType(), known));
                case STRING, BYTE_STRING -> fields.strings.add(field.getNumber());
                default -> fields.numbers.add(field.getNumber());
            }
        }
        return fields;
    }

    /** Whether the request has more than {@link #MOST} parts. Bytes that are no message count up to their fault. */
    boolean areTooMany(byte[] request) {
        if (request.length / LEAST_BYTES_OF_A_PART <= MOST) {
            return false;
        }
        try {
            return count(new WireCursor(request, 0, request.length), root, 0) > MOST;
        } catch (InvalidProtocolBufferException e) {
            // Whoever parses it says so.
            return false;
        }
    }

    private static long count(WireCursor wire, Fields fields, long before) throws InvalidProtocolBufferException {
        long parts = before;
        // Ends with the first part too many, since a fault may follow.
        while (parts <= MOST && wire.next()) {
            int field = wire.isDelimited() ? wire.field() : 0;
            Fields message = fields.messages.get(field);
            if (message != null) {
                int outer = wire.enter();
                parts = count(wire, message, parts + 1);
                if (parts <= MOST) {
                    wire.leave(outer);
                }
            } else {
                int from = wire.position();
                wire.skip();
                if (fields.strings.contains(field)) {
                    parts++;
                } else if (fields.numbers.contains(field)) {
                    parts += (wire.position() - from) / PACKED_BYTES_OF_A_PART;
                }
            }
        }
        return parts;
    }
}
