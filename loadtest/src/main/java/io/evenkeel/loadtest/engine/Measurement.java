package io.evenkeel.loadtest.engine;

import java.text.NumberFormat;
import java.util.Locale;

/**
 * The result of measuring a figure.
 *
 * @param p50Nanos the time of one operation, which includes reading the clock
 * @param bytes the bytes allocated by an operation, including what happens between two operations
 * @param ratio the ratio of a {@link Figure.Kind#SCALING}
 */
record Measurement(Figure figure, double p50Nanos, double p99Nanos, double bytes, double ratio) {
    /** Fewer bytes per operation than this count as none, because the JVM itself allocates occasionally. */
    private static final double NOTHING = 0.5;

    /** The minimum ratio of answers from one engine to answers from two, with two threads. */
    private static final double MIN_RATIO = 0.9;

    /** {@code yes}, {@code NO}, or an empty string if the figure has no bound. */
    String holds() {
        if (figure.kind() == Figure.Kind.GARBAGE) {
            return bytes < NOTHING ? "yes" : "NO";
        }
        if (figure.kind() == Figure.Kind.SCALING) {
            return ratio >= MIN_RATIO ? "yes" : "NO";
        }
        if (figure.maxNanos() == 0) {
            return "";
        }
        return p50Nanos <= figure.maxNanos() ? "yes" : "NO";
    }

    /** The bound as text. */
    String wanted() {
        if (figure.kind() == Figure.Kind.GARBAGE) {
            return "0 B";
        }
        if (figure.kind() == Figure.Kind.SCALING) {
            return "≥ " + MIN_RATIO;
        }
        return figure.maxNanos() == 0
                ? ""
                : "≤ " + NumberFormat.getInstance(Locale.ROOT).format(figure.maxNanos() / 1e3);
    }
}
