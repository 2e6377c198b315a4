package io.evenkeel.kube.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.objects.WireCursor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the body of an error response: a Status as protobuf or JSON, or plain text. */
public final class ApiStatus {
    private static final int MESSAGE = WireCursor.delimited(3);
    private static final int REASON = WireCursor.delimited(4);
    private static final int CODE = WireCursor.varint(6);
    private static final int INTERNAL_ERROR = 500;
    private static final int MAX_CHARACTERS = 300;
    private static final Pattern JSON_MESSAGE = Pattern.compile("\"message\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");

    private ApiStatus() {}

    /** The exception for a response with this body. */
    static ApiException ofResponse(int status, byte[] body, Duration retryAfter) {
        if (Envelope.isAt(body, 0, body.length)) {
            try {
                Envelope.Place place = Envelope.open(body, 0, body.length);
                ApiException ofServer = ofObject(body, place.from(), place.to());
                return new ApiException(status, String.valueOf(ofServer.getMessage()), retryAfter);
            } catch (IOException e) {
                return new ApiException(status, "failed to parse its response: " + e.getMessage(), retryAfter);
            }
        }
        String text = new String(body, StandardCharsets.UTF_8).strip();
        return new ApiException(status, oneLine(messages(text)), retryAfter);
    }

    /** The message of a Status as JSON, with what its causes add to it; the text itself if it has none. */
    private static String messages(String text) {
        Matcher json = JSON_MESSAGE.matcher(text);
        if (!json.find()) {
            return text;
        }
        String message = json.group(1);
        while (json.find()) {
            if (!message.contains(json.group(1))) {
                message += " " + json.group(1);
            }
        }
        return message;
    }

    /** The exception for an ERROR event with this Status. */
    public static ApiException ofObject(byte[] bytes, int from, int to) throws IOException {
        WireCursor wire = new WireCursor(bytes, from, to);
        String message = "";
        String reason = "";
        int code = INTERNAL_ERROR;
        try {
            while (wire.next()) {
                if (wire.tag() == MESSAGE) {
                    message = wire.readText();
                } else if (wire.tag() == REASON) {
                    reason = wire.readText();
                } else if (wire.tag() == CODE) {
                    code = (int) wire.readVarint();
                } else {
                    wire.skip();
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw new MalformedAnswerException("Status is not valid protobuf: " + e.getMessage());
        }
        return new ApiException(code, oneLine(message.isEmpty() ? reason : message), Duration.ZERO);
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ");
        return line.length() <= MAX_CHARACTERS ? line : line.substring(0, MAX_CHARACTERS) + "...";
    }
}
