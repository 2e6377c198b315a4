package io.evenkeel.cli;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes messages as protobuf JSON, including fields with default values. Unset messages and unset optional fields are
 * omitted.
 */
final class JsonText {
    /**
     * A character that protobuf escapes so that the JSON can be embedded in HTML. It follows an even number of
     * backslashes.
     */
    private static final Pattern ESCAPED_FOR_HTML = Pattern.compile("(?<!\\\\)((?:\\\\\\\\)*)\\\\u00(26|27|3c|3d|3e)");

    private JsonText() {}

    static String of(Message message) {
        try {
            String json = JsonFormat.printer().alwaysPrintFieldsWithNoPresence().print(message);
            return ESCAPED_FOR_HTML.matcher(json).replaceAll(JsonText::unescaped);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String unescaped(MatchResult found) {
        char character = (char) Integer.parseInt(found.group(2), 16);
        return Matcher.quoteReplacement(found.group(1) + character);
    }
}
