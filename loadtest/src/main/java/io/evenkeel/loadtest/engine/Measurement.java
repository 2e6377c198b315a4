package io.evenkeel.loadtest.engine;

import io.evenkeel.loadtest.text.Numbers;
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

    boolean hasBound() {
        return !wanted().isEmpty();
    }

    boolean holds() {
        return switch (figure.kind()) {
            case GARBAGE -> bytes < NOTHING;
            case SCALING -> ratio >= MIN_RATIO;
            case TIMES, FEW_TIMES -> figure.maxNanos() == 0 || p50Nanos <= figure.maxNanos();
        };
    }

    /** What was measured, as text. */
    String value() {
        return switch (figure.kind()) {
            case GARBAGE -> "%.1f B".formatted(bytes);
            case SCALING -> "%.2f".formatted(ratio);
            case TIMES, FEW_TIMES -> Numbers.micros((long) p50Nanos);
        };
    }

    /** The bound as text; empty if there is none. */
    String wanted() {
        return switch (figure.kind()) {
            case GARBAGE -> "0 B";
            case SCALING -> "≥ " + MIN_RATIO;
            case TIMES, FEW_TIMES ->
                figure.maxNanos() == 0
                        ? ""
                        : "≤ " + NumberFormat.getInstance(Locale.ROOT).format(figure.maxNanos() / 1e3);
        };
    }
}
