package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import com.google.protobuf.Timestamp;
import io.evenkeel.objects.SimilarNames;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * Fills protobuf messages from JSON or YAML in the format of Kubernetes. A null means an unset field or, in a map of
 * strings, an empty string, in a map of quantities 0. A value of the wrong type is an error, and so is a number or a
 * boolean instead of a string, as in kube-apiserver. A quantity can be a string or a number. If a field is given twice,
 * the last value counts.
 */
final class MessageFiller {
    /** The form of most times; each 0 is a digit. */
    private static final String TIME = "0000-00-00T00:00:00Z";

    private final TokenReader input;
    private final boolean strict;

    /** @param strict whether unknown fields are errors; otherwise they are skipped */
    MessageFiller(TokenReader input, boolean strict) {
        this.input = input;
        this.strict = strict;
    }

    /** Reads the current object to its end. */
    void fill(Message.Builder builder) throws IOException {
        MessageShape shape = MessageShape.of(builder.getDescriptorForType());
        for (String name = input.nextField(); name != null; name = input.nextField()) {
            fillField(builder, shape, name);
        }
    }

    /** Reads the current value as the value of the field {@code name}. */
    void fillField(Message.Builder builder, MessageShape shape, String name) throws IOException {
        FieldDescriptor field = shape.field(name);
        if (field == null) {
            skip(shape, name);
            return;
        }
        if (input.isAt(JsonToken.VALUE_NULL)) {
            builder.clearField(field);
        } else if (field.isMapField()) {
            builder.clearField(field);
            fillMap(builder, field);
        } else if (field.isRepeated()) {
            builder.clearField(field);
            input.expectList();
            while (input.nextElement()) {
                builder.addRepeatedField(field, value(builder, field));
            }
        } else {
            builder.setField(field, value(builder, field));
        }
    }

    private void skip(MessageShape shape, String name) throws IOException {
        if (strict) {
            throw input.wrong("is unknown: there is no such field" + SimilarNames.question(shape.nearest(name)));
        }
        input.skipValue();
    }

    private void fillMap(Message.Builder builder, FieldDescriptor field) throws IOException {
        FieldDescriptor keyField = field.getMessageType().findFieldByNumber(1);
        FieldDescriptor valueField = field.getMessageType().findFieldByNumber(2);
        input.expectObject();
        for (String key = input.nextField(); key != null; key = input.nextField()) {
            Message.Builder entry = builder.newBuilderForField(field);
            entry.setField(keyField, key);
            if (!input.isAt(JsonToken.VALUE_NULL)) {
                entry.setField(valueField, value(entry, valueField));
            } else if (isQuantity(valueField)) {
                entry.setField(valueField, StringValue.of("0"));
            }
            builder.addRepeatedField(field, entry.build());
        }
    }

    private Object value(Message.Builder builder, FieldDescriptor field) throws IOException {
        return switch (field.getType()) {
            case STRING -> input.string();
            case BOOL -> input.bool();
            case INT64 -> input.integer();
            case INT32 -> int32();
            case MESSAGE -> {
                if (field.getMessageType().equals(Timestamp.getDescriptor())) {
                    yield timestamp();
                }
                if (isQuantity(field)) {
                    yield StringValue.of(input.stringOrNumber().strip());
                }
                input.expectObject();
                Message.Builder child = builder.newBuilderForField(field);
                fill(child);
                yield child.build();
            }
            default -> throw new IllegalStateException("no Kubernetes field is a " + field.getType());
        };
    }

    private static boolean isQuantity(FieldDescriptor field) {
        return field.getType() == FieldDescriptor.Type.MESSAGE
                && field.getMessageType().equals(StringValue.getDescriptor());
    }

    private int int32() throws IOException {
        long value = input.integer();
        if (value != (int) value) {
            throw input.wrongType("a 32-bit integer");
        }
        return (int) value;
    }

    private Timestamp timestamp() throws IOException {
        String text = input.string();
        try {
            Instant instant = instant(text);
            return Timestamp.newBuilder()
                    .setSeconds(instant.getEpochSecond())
                    .setNanos(instant.getNano())
                    .build();
        } catch (DateTimeException notATime) {
            throw input.wrongType("an RFC 3339 time");
        }
    }

    /** Reads times such as 2026-01-02T03:04:05Z, which nearly all are, in a fraction of the time. */
    private static Instant instant(String text) {
        if (text.length() != TIME.length()) {
            return OffsetDateTime.parse(text).toInstant();
        }
        for (int i = 0; i < TIME.length(); i++) {
            char c = text.charAt(i);
            if (TIME.charAt(i) == '0' ? c < '0' || c > '9' : c != TIME.charAt(i)) {
                return OffsetDateTime.parse(text).toInstant();
            }
        }
        return LocalDateTime.of(
                        number(text, 0, 4),
                        number(text, 5, 7),
                        number(text, 8, 10),
                        number(text, 11, 13),
                        number(text, 14, 16),
                        number(text, 17, 19))
                .toInstant(ZoneOffset.UTC);
    }

    private static int number(String text, int from, int to) {
        return Integer.parseInt(text, from, to, 10);
    }
}
