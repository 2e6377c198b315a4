package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The tokens of a JSON text. */
final class JsonTokens implements Tokens {
    private final JsonParser parser;

    JsonTokens(JsonParser parser) {
        this.parser = parser;
    }

    @Override
    public @Nullable JsonToken next() throws IOException {
        return parser.nextToken();
    }

    @Override
    public @Nullable JsonToken current() {
        return parser.currentToken();
    }

    @Override
    public Token token() throws IOException {
        JsonToken type = Objects.requireNonNull(current());
        boolean hasText = type.isScalarValue() || type == JsonToken.FIELD_NAME;
        return new Token(type, hasText ? text() : "", false, line(), column());
    }

    @Override
    public String text() throws IOException {
        return parser.getText();
    }

    @Override
    public boolean isMerged() {
        return false;
    }

    @Override
    public int line() {
        return location().getLineNr();
    }

    @Override
    public int column() {
        return location().getColumnNr();
    }

    private JsonLocation location() {
        return parser.currentTokenLocation();
    }

    @Override
    public boolean isAtEnd() {
        return parser.isClosed();
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
