package io.evenkeel.engine.script;

/** The seeds that random tests play. The system property {@code evenkeel.seeds} ({@code 5000-6000}) names others. */
public final class Seeds {
    private static final String[] BOUNDS =
            System.getProperty("evenkeel.seeds", "0-20").split("-");

    public static final int FIRST = Integer.parseInt(BOUNDS[0]);
    public static final int END = Integer.parseInt(BOUNDS[1]);

    private Seeds() {}

    /** The end of the first of {@code parts} equal parts of the seeds; it has at least one seed. */
    public static int endOfFirst(int parts) {
        return FIRST + Math.max(1, (END - FIRST) / parts);
    }
}
