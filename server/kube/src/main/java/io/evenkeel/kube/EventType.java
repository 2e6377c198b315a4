package io.evenkeel.kube;

import io.evenkeel.kube.client.MalformedAnswerException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The type of a watch event. */
enum EventType {
    ADDED,
    MODIFIED,
    DELETED,
    BOOKMARK,
    ERROR;

    private static final EventType[] ALL = values();
    private static final byte[][] TEXTS = Arrays.stream(ALL)
            .map(type -> type.name().getBytes(StandardCharsets.US_ASCII))
            .toArray(byte[][]::new);

    /** The type that these bytes name. */
    static EventType of(byte[] bytes, int from, int to) throws MalformedAnswerException {
        for (int i = 0; i < TEXTS.length; i++) {
            if (Arrays.equals(bytes, from, to, TEXTS[i], 0, TEXTS[i].length)) {
                return ALL[i];
            }
        }
        throw new MalformedAnswerException(
                "watch event has unknown type " + new String(bytes, from, to - from, StandardCharsets.UTF_8));
    }
}
