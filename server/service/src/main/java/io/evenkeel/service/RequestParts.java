package io.evenkeel.service;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.objects.WireCursor;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of a parsed request. Each message and string in it becomes an object of some tens of bytes,
 * although an empty one takes only two bytes on the wire. So these parts are counted before parsing. Thread-safe.
 *
 * <pre>
 *   bytes of the request ──► count, without creating objects ──► parse
 *                                └─► rejected beyond MAX_PARTS parts
 * </pre>
 */
final class RequestParts {
    /** The most parts that a request may have; more than any sensible request of 16 MiB has. */
    static final int MAX_PARTS = 1 << 20;

    private static final int MIN_PART_BYTES = 2;

    /** The numbers of a packed field take four or eight bytes each in memory, but as little as one on the wire. */
    private static final int PACKED_BYTES_OF_A_PART = 8;

    private final Descriptor request;

    /** The fields of each message of a request, by number. Arrays, because a large request has very many fields. */
    private final Map<Descriptor, @Nullable FieldDescriptor[]> fields = new HashMap<>();

    RequestParts(Descriptor request) {
        this.request = request;
        add(request);
    }

    private void add(Descriptor type) {
        if (fields.containsKey(type)) {
            return;
        }
        int last = type.getFields().stream()
                .mapToInt(FieldDescriptor::getNumber)
                .max()
                .orElse(0);
        FieldDescriptor[] byNumber = new FieldDescriptor[last + 1];
        fields.put(type, byNumber);
        for (FieldDescriptor field : type.getFields()) {
            byNumber[field.getNumber()] = field;
            if (field.getJavaType() == JavaType.MESSAGE) {
                add(field.getMessageType());
            }
        }
    }

    /** Whether the request has more than {@link #MAX_PARTS} parts. A malformed request counts up to its error. */
    boolean areTooMany(byte[] bytes) {
        if (bytes.length / MIN_PART_BYTES <= MAX_PARTS) {
            return false;
        }
        try {
            return count(new WireCursor(bytes, 0, bytes.length), request, 0) > MAX_PARTS;
        } catch (InvalidProtocolBufferException e) {
            // The parser will report the error.
            return false;
        }
    }

    private long count(WireCursor wire, Descriptor type, long before) throws InvalidProtocolBufferException {
        @Nullable FieldDescriptor[] known = Objects.requireNonNull(fields.get(type));
        long parts = before;
        // Stops at the first part beyond the limit, because an error may follow.
        while (parts <= MAX_PARTS && wire.next()) {
            FieldDescriptor field = wire.isDelimited() && wire.field() < known.length ? known[wire.field()] : null;
            if (field != null && field.getJavaType() == JavaType.MESSAGE) {
                int outer = wire.enter();
                parts = count(wire, field.getMessageType(), parts + 1);
                if (parts <= MAX_PARTS) {
                    wire.leave(outer);
                }
                continue;
            }
            int from = wire.position();
            wire.skip();
            if (field != null) {
                parts += switch (field.getJavaType()) {
                    case STRING, BYTE_STRING -> 1;
                    default -> (wire.position() - from) / PACKED_BYTES_OF_A_PART;
                };
            }
        }
        return parts;
    }
}
