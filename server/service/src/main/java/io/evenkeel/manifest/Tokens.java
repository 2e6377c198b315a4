package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The tokens of a text, one after another. Positions count from 1. */
interface Tokens extends Closeable {
    /** Moves to the next token; null at the end of a YAML document and at the end of the text. */
    @Nullable
    JsonToken next() throws IOException;

    /** The name of the current field, or the text of the current scalar. */
    default String text() throws IOException {
        return token().text();
    }

    /** Whether the current token is the name of a field that came from a YAML merge key. */
    boolean isMerged();

    /** The line of the current token; if there is none, of the position that has been reached. */
    int line();

    int column();

    /** Whether the end of the text has been reached. */
    boolean isAtEnd();

    /** The current token, to be read again. */
    Token token() throws IOException;

    /** The current token; null at the end of a YAML document and at the end of the text. */
    @Nullable
    JsonToken current();
}
