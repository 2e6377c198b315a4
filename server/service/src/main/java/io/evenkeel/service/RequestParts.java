package io.evenkeel.service;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.objects.WireCursor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of a parsed request. Each message and string in it becomes an object of some tens of bytes,
 * although an empty one takes only two bytes on the wire. So these parts are counted before parsing. Thread-safe.
 *
 * <pre>
 *   bytes of the request ──► count, without creating objects ──► parse
 *                                └─► rejected beyond MOST parts
 * </pre>
 */
final class RequestParts {
    /** The most parts that a request may have; more than any sensible request of 16 MiB has. */
    static final int MOST = 1 << 20;

    private static final int MIN_PART_BYTES = 2;

    /** The numbers of a packed field take four or eight bytes each in memory, but as little as one on the wire. */
    private static final int PACKED_BYTES_OF_A_PART = 8;

    private final Fields root;

    /**
     * The types of the fields of a message, by field number. Arrays, because a large request has very many fields.
     *
     * <pre>
     *   messages[number]   the fields of the message in that field; null if it is not a message
     *   strings[number]    whether the field is a string or bytes
     *   numbers[number]    whether the field is a number, which can be packed
     * </pre>
     */
    private static final class Fields {
        private final @Nullable Fields[] messages;
        private final boolean[] strings;
        private final boolean[] numbers;

        Fields(Descriptor type) {
            int limit = 1
                    + type.getFields().stream()
                            .mapToInt(FieldDescriptor::getNumber)
                            .max()
                            .orElse(0);
            messages = new Fields[limit];
            strings = new boolean[limit];
            numbers = new boolean[limit];
        }
    }

    RequestParts(Descriptor request) {
        root = fields(request, new HashMap<>());
    }

    private static Fields fields(Descriptor type, Map<Descriptor, Fields> known) {
        Fields there = known.get(type);
        if (there != null) {
            return there;
        }
        Fields fields = new Fields(type);
        known.put(type, fields);
        for (FieldDescriptor field : type.getFields()) {
            switch (field.getJavaType()) {
                case MESSAGE -> fields.messages[field.getNumber()] = fields(field.getMessageType(), known);
                case STRING, BYTE_STRING -> fields.strings[field.getNumber()] = true;
                default -> fields.numbers[field.getNumber()] = true;
            }
        }
        return fields;
    }

    /** Whether the request has more than {@link #MOST} parts. A malformed request counts up to its error. */
    boolean areTooMany(byte[] request) {
        if (request.length / MIN_PART_BYTES <= MOST) {
            return false;
        }
        try {
            return count(new WireCursor(request, 0, request.length), root, 0) > MOST;
        } catch (InvalidProtocolBufferException e) {
            // The parser will report the error.
            return false;
        }
    }

    private static long count(WireCursor wire, Fields fields, long before) throws InvalidProtocolBufferException {
        long parts = before;
        // Stops at the first part beyond the limit, because an error may follow.
        while (parts <= MOST && wire.next()) {
            // There is no field 0.
            int field = wire.isDelimited() && wire.field() < fields.messages.length ? wire.field() : 0;
            Fields message = fields.messages[field];
            if (message != null) {
                int outer = wire.enter();
                parts = count(wire, message, parts + 1);
                if (parts <= MOST) {
                    wire.leave(outer);
                }
            } else {
                int from = wire.position();
                wire.skip();
                if (fields.strings[field]) {
                    parts++;
                } else if (fields.numbers[field]) {
                    parts += (wire.position() - from) / PACKED_BYTES_OF_A_PART;
                }
            }
        }
        return parts;
    }
}
