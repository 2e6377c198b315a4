package io.evenkeel.placement.call;

import io.evenkeel.objects.Quotes;

/** Parses resource versions, which are decimal numbers from 1 to 2^63 - 1. */
public final class ResourceVersionReader {
    private static final String GREATEST = Long.toString(Long.MAX_VALUE);

    private ResourceVersionReader() {}

    /** True if {@code version} is such a number, without leading zeros. */
    public static boolean isValid(String version) {
        return !version.isEmpty()
                && version.charAt(0) != '0'
                && version.chars().allMatch(c -> c >= '0' && c <= '9')
                && (version.length() < GREATEST.length()
                        || version.length() == GREATEST.length() && version.compareTo(GREATEST) <= 0);
    }

    /** The number; 0 if {@code version} is invalid. */
    public static long parse(String version) {
        return isValid(version) ? Long.parseLong(version) : 0;
    }

    /** The description of the violation if {@code version} is invalid. */
    public static String wrong(String version) {
        return "must be a decimal number from 1 to " + GREATEST + " without leading zeros, was "
                + Quotes.quoted(version);
    }
}
