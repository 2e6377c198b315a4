package io.evenkeel.cli;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.util.Collection;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes messages as protobuf JSON, including fields with default values. Unset messages and unset optional fields are
 * omitted.
 */
public final class JsonText {
    /**
     * A character that protobuf escapes so that the JSON can be embedded in HTML. It follows an even number of
     * backslashes.
     */
    private static final Pattern ESCAPED_FOR_HTML = Pattern.compile("(?<!\\\\)((?:\\\\\\\\)*)\\\\u00(26|27|3c|3d|3e)");

    private JsonText() {}

    public static String of(Message message) {
        try {
            String json = JsonFormat.printer().alwaysPrintFieldsWithNoPresence().print(message);
            return ESCAPED_FOR_HTML.matcher(json).replaceAll(JsonText::unescaped);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes an object whose values are messages, texts, numbers, truth values, and lists and objects of these. */
    public static String of(Map<String, ?> fields) {
        return any(fields);
    }

    private static String any(Object value) {
        if (value instanceof Message message) {
            return of(message);
        }
        if (value instanceof Map<?, ?> fields) {
            return block(
                    "{", fields.entrySet().stream().map(each -> any(each.getKey()) + ": " + any(each.getValue())), "}");
        }
        if (value instanceof Collection<?> items) {
            return block("[", items.stream().map(JsonText::any), "]");
        }
        return value instanceof String text
                ? of(Value.newBuilder().setStringValue(text).build())
                : value.toString();
    }

    private static String block(String begin, Stream<String> parts, String end) {
        String inner = parts.map(part -> "\n  " + part.replace("\n", "\n  ")).collect(Collectors.joining(","));
        return begin + inner + (inner.isEmpty() ? "" : "\n") + end;
    }

    private static String unescaped(MatchResult found) {
        char character = (char) Integer.parseInt(found.group(2), 16);
        return Matcher.quoteReplacement(found.group(1) + character);
    }
}
