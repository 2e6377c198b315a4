package io.evenkeel.placement.call;

import io.evenkeel.objects.Quotes;

/** Checks resource versions: decimal numbers of any length, as the API server gives them. */
public final class ResourceVersions {
    private ResourceVersions() {}

    /** Whether it is a decimal number without leading zeros, and more than 0. */
    public static boolean isValid(String version) {
        return !version.isEmpty() && version.charAt(0) != '0' && version.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** The rule and the value, where {@link #isValid} is false. */
    public static String wrong(String version) {
        return "must be a decimal number without leading zeros, was " + Quotes.quoted(version);
    }
}
