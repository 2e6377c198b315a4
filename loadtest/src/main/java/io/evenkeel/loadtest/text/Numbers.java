package io.evenkeel.loadtest.text;

import java.util.Locale;

/** Formats numbers and times, independently of the locale. */
public final class Numbers {
    private Numbers() {}

    /** Groups of three digits: {@code 150,000}. */
    public static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Milliseconds: {@code 0.21}. */
    public static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.2f", nanos / 1e6);
    }

    /** Microseconds: {@code 0.21}. */
    public static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.2f", nanos / 1e3);
    }

    /** Seconds: {@code 3.4 s}. */
    public static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }
}
