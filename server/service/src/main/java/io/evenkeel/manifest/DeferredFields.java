package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import io.evenkeel.objects.FieldPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Keeps the fields of an object that precede the field with its kind. They are read once the kind is known. */
final class DeferredFields {
    private final TokenReader input;
    private final FieldPath field;
    private final List<Token> object = new ArrayList<>();

    /** Starts to keep fields of {@code object}, in which the input must be. */
    DeferredFields(TokenReader input, FieldPath object) {
        this.input = input;
        this.field = object;
        this.object.add(input.bracket(JsonToken.START_OBJECT));
    }

    /** Keeps the current value as the value of the field {@code name}. */
    void add(Token name) throws IOException {
        object.add(name);
        input.copyValue(object);
    }

    /** Returns a reader of the fields that were kept. It is inside the object, before the first field. */
    TokenReader replay() throws IOException {
        List<Token> whole = new ArrayList<>(object);
        whole.add(input.bracket(JsonToken.END_OBJECT));
        TokenReader replay = input.replay(whole, field);
        replay.next();
        return replay;
    }
}
