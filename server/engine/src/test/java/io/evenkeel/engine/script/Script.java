package io.evenkeel.engine.script;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A script of acts in order. Playing it to two subjects shows whether they give the same answers. */
public record Script(List<Act> acts) {
    public Script {
        acts = List.copyOf(acts);
    }

    /**
     * A script of random steps, with questions after some of them.
     *
     * @param steps the number of steps
     * @param question the probability of a question after a step; several may follow
     */
    public static Script random(long seed, int steps, double question) {
        RandomChoices dice = new RandomChoices(seed);
        Universe universe = new Universe(dice);
        ChangeGenerator cluster = new ChangeGenerator(dice, universe);
        QueryGenerator queries = new QueryGenerator(dice, universe);
        List<Act> acts = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            acts.add(cluster.next());
            while (dice.chance(question)) {
                acts.add(queries.next(cluster.nodeNames(), cluster.pods()));
            }
        }
        return new Script(acts);
    }

    /** The first difference between the answers of {@code actual} and {@code expected}, or null. */
    @Nullable
    String firstDifference(Supplier<? extends ScriptTarget> expected, Supplier<? extends ScriptTarget> actual) {
        ScriptTarget right = expected.get();
        ScriptTarget left = actual.get();
        for (int i = 0; i < acts.size(); i++) {
            Act act = acts.get(i);
            try {
                if (act instanceof Step step) {
                    right.apply(step);
                }
            } catch (IllegalStateException senseless) {
                // Removing acts has left a script that makes no sense, so it shows nothing.
                return null;
            }
            try {
                String difference = play(act, right, left);
                if (difference != null) {
                    return "act " + i + " " + difference;
                }
            } catch (RuntimeException | AssertionError e) {
                return "act " + i + " threw " + e + firstFrames(e);
            }
        }
        try {
            left.validate();
            return null;
        } catch (RuntimeException | AssertionError e) {
            return "validation threw " + e + firstFrames(e);
        }
    }

    private static @Nullable String play(Act act, ScriptTarget right, ScriptTarget left) {
        if (act instanceof Step step) {
            left.apply(step);
            return null;
        }
        ScriptedQuery query = (ScriptedQuery) act;
        Answers wanted = right.ask(query);
        Answers given = left.ask(query);
        return wanted.equals(given) ? null : "expected " + wanted + "\n  but was " + given;
    }

    private static String firstFrames(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        StackTraceElement[] frames = thrown.getStackTrace();
        for (int i = 0; i < Math.min(6, frames.length); i++) {
            text.append("\n    at ").append(frames[i]);
        }
        return text.toString();
    }

    /**
     * Plays the script. If the subjects differ, throws with the shortest script found that makes them differ.
     *
     * @param origin printed so that the script can be made again, such as its seed
     */
    public void mustAgree(
            String origin, Supplier<? extends ScriptTarget> expected, Supplier<? extends ScriptTarget> actual) {
        String difference = firstDifference(expected, actual);
        if (difference == null) {
            return;
        }
        Shrinker<Act> shrinker = new Shrinker<>(
                shorter -> new Script(shorter).firstDifference(expected, actual) != null, Simplification::of);
        Script least = new Script(shrinker.shrink(acts));
        throw new AssertionError(origin + ", cut from " + acts.size() + " acts to "
                + least.acts().size() + ":\n" + least + least.firstDifference(expected, actual));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < acts.size(); i++) {
            text.append("  ")
                    .append(i)
                    .append(". ")
                    .append(ActText.of(acts.get(i)))
                    .append('\n');
        }
        return text.toString();
    }
}
