package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import io.evenkeel.objects.FieldPath;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * Buffers the fields of an object that precede the field with its kind. They are buffered as JSON and read once the
 * kind is known.
 */
final class DeferredFields {
    private final TokenReader input;
    private final FieldPath field;
    private final JsonLocation start;
    private final ByteArrayOutputStream json = new ByteArrayOutputStream();
    private final JsonGenerator output;

    /** Starts buffering fields of {@code object}. The input must be at the value of one of its fields. */
    DeferredFields(TokenReader input, FieldPath object) throws IOException {
        this.input = input;
        this.field = object;
        this.start = input.location();
        this.output = TextInput.JSON.createGenerator(json);
        output.writeStartObject();
    }

    /** Buffers the current value as the value of the field {@code name}. */
    void add(String name) throws IOException {
        output.writeFieldName(name);
        input.copyValue(output);
    }

    /** Returns a reader of the buffered fields. It is inside the object, before the first field. */
    TokenReader replay() throws IOException {
        output.writeEndObject();
        output.close();
        TokenReader replay = input.replay(json.toByteArray(), field, start);
        replay.next();
        return replay;
    }
}
