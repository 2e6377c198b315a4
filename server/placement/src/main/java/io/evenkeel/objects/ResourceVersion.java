package io.evenkeel.objects;

/** Parses the resourceVersion of an object: kube-apiserver uses unsigned 64-bit decimal numbers. */
final class ResourceVersion {
    private static final int MAX_DIGITS = 20;

    private ResourceVersion() {}

    /** True if {@code text} is empty (unknown) or a valid number. */
    static boolean isValid(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        if (text.length() < MAX_DIGITS) {
            return true;
        }
        // Both have 20 digits, so they sort like the numbers.
        return text.length() == MAX_DIGITS && text.compareTo(Long.toUnsignedString(-1)) <= 0;
    }

    /** The number, unsigned; 0 if it is unknown or invalid. */
    static long parse(String text) {
        return text.isEmpty() || !isValid(text) ? 0 : Long.parseUnsignedLong(text);
    }
}
