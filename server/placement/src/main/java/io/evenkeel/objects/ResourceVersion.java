package io.evenkeel.objects;

/** An object's resourceVersion, which kube-apiserver gives as an unsigned 64-bit decimal number. */
final class ResourceVersion {
    private static final int MAX_DIGITS = 20;

    private ResourceVersion() {}

    /** Whether {@code text} is empty (unknown) or such a number. */
    static boolean isValid(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        if (text.length() < MAX_DIGITS) {
            return true;
        }
        // Of 20 digits each, the order of the texts is that of the numbers.
        return text.length() == MAX_DIGITS && text.compareTo(Long.toUnsignedString(-1)) <= 0;
    }

    /** The number, as unsigned; 0 where it is unknown or not valid. */
    static long parse(String text) {
        return text.isEmpty() || !isValid(text) ? 0 : Long.parseUnsignedLong(text);
    }
}
