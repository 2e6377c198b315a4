package io.evenkeel.objects;

/** Shortens callers' text and puts it on one line, for error messages. */
public final class Quotes {
    private static final int MAX_LENGTH = 80;

    private Quotes() {}

    /** {@code text} in double quotes, shortened if long, with control characters escaped. */
    public static String quoted(String text) {
        return '"' + shortened(text) + '"';
    }

    /** {@code text}, shortened if long, with control characters escaped. */
    public static String shortened(String text) {
        int length = Math.min(text.length(), MAX_LENGTH);
        StringBuilder shown = new StringBuilder(length + 3);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                shown.append(String.format("\\u%04x", (int) c));
            } else {
                shown.append(c);
            }
        }
        return shown.append(length < text.length() ? "..." : "").toString();
    }
}
