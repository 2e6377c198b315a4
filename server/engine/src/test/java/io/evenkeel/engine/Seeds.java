package io.evenkeel.engine;

/** The seeds that random tests play. The system property {@code evenkeel.seeds} ({@code 5000-6000}) names others. */
final class Seeds {
    private static final String[] BOUNDS =
            System.getProperty("evenkeel.seeds", "0-10").split("-");

    static final int FIRST = Integer.parseInt(BOUNDS[0]);
    static final int END = Integer.parseInt(BOUNDS[1]);

    private Seeds() {}
}
