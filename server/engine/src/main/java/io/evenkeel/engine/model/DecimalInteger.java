package io.evenkeel.engine.model;

/**
 * Checks whether a text is a decimal integer that Kubernetes compares with {@code Lt} and {@code Gt}. One rule is for
 * tolerations, the other for node affinity. Both accept only ASCII digits and 64 bits.
 */
public final class DecimalInteger {
    private DecimalInteger() {}

    /** Without a plus sign, leading zeros or a negative zero: what Lt and Gt of a toleration accept. */
    static boolean isPlain(String text) {
        if (text.equals("0")) {
            return true;
        }
        int first = text.startsWith("-") ? 1 : 0;
        return text.length() > first && text.charAt(first) != '0' && text.charAt(first) != '+' && isParsable(text);
    }

    /** What Go's {@code strconv.ParseInt(text, 10, 64)} accepts: an optional sign, digits, in range. */
    public static boolean isParsable(String text) {
        int first = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        if (text.length() == first) {
            return false;
        }
        for (int i = first; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        try {
            Long.parseLong(text);
            return true;
        } catch (NumberFormatException outOfRange) {
            return false;
        }
    }
}
