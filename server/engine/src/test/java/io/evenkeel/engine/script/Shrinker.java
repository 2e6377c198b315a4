package io.evenkeel.engine.script;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Shortens a failing list while it still fails: first by removing parts of it, of half the length each time (delta
 * debugging, Zeller and Hildebrandt 2002), and then by simplifying its items, until neither helps.
 */
final class Shrinker<T> {
    private final Predicate<List<T>> fails;
    private final Function<T, List<T>> simplifications;

    /**
     * A shrinker of lists for which {@code fails} holds.
     *
     * @param simplifications what may replace an item, the simplest first
     */
    Shrinker(Predicate<List<T>> fails, Function<T, List<T>> simplifications) {
        this.fails = fails;
        this.simplifications = simplifications;
    }

    List<T> shrink(List<T> failing) {
        List<T> least = List.copyOf(failing);
        List<T> before;
        do {
            before = least;
            least = simplify(cut(least));
        } while (!least.equals(before));
        return least;
    }

    private List<T> cut(List<T> failing) {
        List<T> least = failing;
        for (int length = Math.max(1, least.size() / 2); length > 0; length /= 2) {
            // From the end, because later items depend on earlier ones.
            for (int start = least.size() - length; start > -length; start -= length) {
                List<T> shorter = without(least, Math.max(0, start), start + length);
                if (fails.test(shorter)) {
                    least = shorter;
                }
            }
        }
        return least;
    }

    private static <T> List<T> without(List<T> list, int from, int to) {
        List<T> rest = new ArrayList<>(list.subList(0, Math.min(from, list.size())));
        rest.addAll(list.subList(Math.min(to, list.size()), list.size()));
        return rest;
    }

    private List<T> simplify(List<T> failing) {
        List<T> least = new ArrayList<>(failing);
        for (int i = 0; i < least.size(); i++) {
            boolean simpler;
            do {
                simpler = simplifyItem(least, i);
            } while (simpler);
        }
        return least;
    }

    private boolean simplifyItem(List<T> failing, int index) {
        T item = failing.get(index);
        for (T simpler : simplifications.apply(item)) {
            failing.set(index, simpler);
            if (fails.test(failing)) {
                return true;
            }
        }
        failing.set(index, item);
        return false;
    }
}
