package io.evenkeel.loadtest.text;

import io.evenkeel.cli.ExitCodes;
import java.util.ArrayList;
import java.util.List;

/** Counts the bounds of a run's figures, and prints those that are violated. */
public final class Bounds {
    private final List<String> missed = new ArrayList<>();
    private int count;

    public Bounds() {}

    /**
     * Adds a bound.
     *
     * @param figure the figure and its bound, as text
     */
    public void add(String figure, boolean holds) {
        count++;
        if (!holds) {
            missed.add(figure);
        }
    }

    /** Prints a line for each violated bound, and then how many hold. */
    public void show(Screen screen) {
        missed.forEach(figure -> screen.line("DOES NOT HOLD: " + figure));
        screen.line((count - missed.size()) + " of " + count + " bounds hold");
    }

    /** The command's exit code: 0 if every bound holds, otherwise 1. */
    public int exitCode() {
        return missed.isEmpty() ? ExitCodes.OK : ExitCodes.NOT_WELL;
    }
}
