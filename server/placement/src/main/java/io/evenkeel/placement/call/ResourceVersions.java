package io.evenkeel.placement.call;

import io.evenkeel.objects.Quotes;

/** Reads resource versions: decimal numbers from 1 to 2^63 - 1, as the API server gives them. */
public final class ResourceVersions {
    private static final String GREATEST = Long.toString(Long.MAX_VALUE);

    private ResourceVersions() {}

    /** Whether it is such a number, without leading zeros. */
    public static boolean isValid(String version) {
        return !version.isEmpty()
                && version.charAt(0) != '0'
                && version.chars().allMatch(c -> c >= '0' && c <= '9')
                && (version.length() < GREATEST.length()
                        || version.length() == GREATEST.length() && version.compareTo(GREATEST) <= 0);
    }

    /** The number; 0 where {@link #isValid} is false. */
    public static long parse(String version) {
        return isValid(version) ? Long.parseLong(version) : 0;
    }

    /** The rule and the value, where {@link #isValid} is false. */
    public static String wrong(String version) {
        return "must be a decimal number from 1 to " + GREATEST + " without leading zeros, was "
                + Quotes.quoted(version);
    }
}
