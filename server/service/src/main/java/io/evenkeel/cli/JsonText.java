package io.evenkeel.cli;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes messages as protobuf JSON. Fields with their default value are written too; messages and optional fields that
 * are not set are left out.
 */
final class JsonText {
    /**
     * A character that protobuf writes as its number, so that the JSON may be embedded in HTML. An even number of
     * backslashes stands before it.
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
