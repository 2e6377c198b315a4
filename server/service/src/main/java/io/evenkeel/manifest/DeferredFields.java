package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import io.evenkeel.objects.FieldPath;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Fields that came before the one which says what they are; kept as JSON until it comes. */
final class DeferredFields {
    private final TokenReader input;
    private final FieldPath field;
    private final JsonLocation start;
    private final ByteArrayOutputStream json = new ByteArrayOutputStream();
    private final JsonGenerator output;

    /** Begins to set aside, at a value of the object whose fields are to be kept. */
    DeferredFields(TokenReader input, FieldPath object) throws IOException {
        this.input = input;
        this.field = object;
        this.start = input.location();
        this.output = TextInput.JSON.createGenerator(json);
        output.writeStartObject();
    }

    /** Keeps the current value as that of {@code name}. */
    void add(String name) throws IOException {
        output.writeFieldName(name);
        input.copyValue(output);
    }

    /** A reader within the object of what was kept: before its first field. */
    TokenReader replay() throws IOException {
        output.writeEndObject();
        output.close();
        TokenReader replay = input.replay(json.toByteArray(), field, start);
        replay.next();
        return replay;
    }
}
