package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;

/**
 * A token of a text that is kept to be read again.
 *
 * @param text the name of a field, or the text of a scalar; otherwise empty
 * @param merged whether it is the name of a field that came from a YAML merge key
 * @param line its position in the text, from 1
 * @param column its position in the line, from 1
 */
record Token(JsonToken type, String text, boolean merged, int line, int column) {
    Token asMerged() {
        return new Token(type, text, true, line, column);
    }
}
