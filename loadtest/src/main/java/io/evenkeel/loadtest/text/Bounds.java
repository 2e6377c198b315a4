package io.evenkeel.loadtest.text;

import io.evenkeel.cli.ExitCodes;
import java.io.PrintWriter;
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
    public void show(PrintWriter out) {
        missed.forEach(figure -> out.println("DOES NOT HOLD: " + figure));
        out.println((count - missed.size()) + " of " + count + " bounds hold");
    }

    /** The command's exit code: 0 if every bound holds, otherwise 1. */
    public int exitCode() {
        return missed.isEmpty() ? ExitCodes.OK : ExitCodes.NOT_WELL;
    }

    /**
     * A figure and its bound.
     *
     * @param what the figure
     * @param measured its value, and that of its control if it has one
     * @param must the bound; empty if there is none
     */
    public record Bound(String what, String measured, String must, boolean holds) {
        /** A figure without a bound. */
        public static Bound none(String what, String measured) {
            return new Bound(what, measured, "", true);
        }

        /** A rate, which must be at least {@code atLeast} per second. */
        public static Bound rate(String what, double perSecond, int atLeast) {
            return new Bound(
                    what, "%,.0f/s".formatted(perSecond), "at least %,d/s".formatted(atLeast), perSecond >= atLeast);
        }

        /** A time, which must be at most {@code atMost} seconds. */
        public static Bound seconds(String what, double seconds, double atMost) {
            return new Bound(what, "%.2f s".formatted(seconds), "at most %.1f s".formatted(atMost), seconds <= atMost);
        }
    }

    /** Adds these bounds, and prints their table. */
    public Bounds table(List<Bound> bounds, PrintWriter out) {
        Table table = new Table("figure", "measured>", "must be", "holds");
        for (Bound bound : bounds) {
            boolean bounded = !bound.must().isEmpty();
            table.row(bound.what(), bound.measured(), bound.must(), bounded ? bound.holds() ? "yes" : "NO" : "");
            if (bounded) {
                add(bound.what() + ": " + bound.measured() + ", must be " + bound.must(), bound.holds());
            }
        }
        table.print(out);
        return this;
    }
}
