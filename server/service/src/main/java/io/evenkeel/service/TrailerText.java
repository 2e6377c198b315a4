package io.evenkeel.service;

/** Shortens texts in trailers, for which clients have little room. */
final class TrailerText {
    private static final String CUT = "...";
    private static final int LAST_ASCII = 0x7e;
    private static final int LAST_OF_TWO_BYTES = 0x7ff;
    private static final int LAST_OF_THREE_BYTES = 0xffff;
    private static final int BYTES_OF_AN_ESCAPE = 3;

    private TrailerText() {}

    /** The text, truncated to {@code maxBytes} bytes in the encoding of gRPC: percent-encoded UTF-8. */
    static String shortened(String text, int maxBytes) {
        int bytes = 0;
        int end = 0;
        while (end < text.length()) {
            int character = text.codePointAt(end);
            bytes += encodedBytes(character);
            if (bytes > maxBytes) {
                return text.substring(0, end) + CUT;
            }
            end += Character.charCount(character);
        }
        return text;
    }

    private static int encodedBytes(int character) {
        if (character >= ' ' && character <= LAST_ASCII && character != '%') {
            return 1;
        }
        if (character <= LAST_ASCII + 1) {
            return BYTES_OF_AN_ESCAPE;
        }
        if (character <= LAST_OF_TWO_BYTES) {
            return 2 * BYTES_OF_AN_ESCAPE;
        }
        return (character <= LAST_OF_THREE_BYTES ? 3 : 4) * BYTES_OF_AN_ESCAPE;
    }
}
