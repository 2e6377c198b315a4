package io.evenkeel.loadtest.engine;

import java.text.NumberFormat;
import java.util.Locale;

/**
 * What came of a figure.
 *
 * @param p50Nanos per operation, the time of reading the clock included
 * @param bytes allocated per operation, and by what happens between two
 * @param ratio of a {@link Figure.Kind#SCALING}
 */
record Measurement(Figure figure, double p50Nanos, double p99Nanos, double bytes, double ratio) {
    /** Bytes per operation that what the JVM itself does now and then comes to, shared out among all calls. */
    private static final double NOTHING = 0.5;

    /** The least of what two engines answer that one must answer to as many threads. */
    private static final double LEAST_RATIO = 0.9;

    /** {@code yes}, {@code NO}, or nothing where the figure is held against nothing. */
    String holds() {
        if (figure.kind() == Figure.Kind.GARBAGE) {
            return bytes < NOTHING ? "yes" : "NO";
        }
        if (figure.kind() == Figure.Kind.SCALING) {
            return ratio >= LEAST_RATIO ? "yes" : "NO";
        }
        if (figure.mostNanos() == 0) {
            return "";
        }
        return p50Nanos <= figure.mostNanos() ? "yes" : "NO";
    }

    /** What was wanted, in words. */
    String wanted() {
        if (figure.kind() == Figure.Kind.GARBAGE) {
            return "0 B";
        }
        if (figure.kind() == Figure.Kind.SCALING) {
            return "≥ " + LEAST_RATIO;
        }
        return figure.mostNanos() == 0
                ? ""
                : "≤ " + NumberFormat.getInstance(Locale.ROOT).format(figure.mostNanos() / 1e3);
    }
}
