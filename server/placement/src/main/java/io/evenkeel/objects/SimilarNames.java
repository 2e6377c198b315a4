package io.evenkeel.objects;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Suggests the known name that an unknown one probably meant: one that differs only in case or by a typo. */
public final class SimilarNames {
    private SimilarNames() {}

    /** Same as {@link #nearest(String, Collection, Comparator)}, in alphabetical order. */
    public static @Nullable String nearest(String typed, Collection<String> known) {
        return nearest(typed, known, Comparator.naturalOrder());
    }

    /**
     * The known name nearest to {@code typed}, or null if none is near.
     *
     * @param order among equally near names, the first in this order is returned
     */
    public static @Nullable String nearest(String typed, Collection<String> known, Comparator<String> order) {
        String otherCase = known.stream()
                .filter(each -> each.equalsIgnoreCase(typed))
                .min(order)
                .orElse(null);
        if (otherCase != null) {
            return otherCase;
        }
        for (int slips = 1; slips <= slipsIn(typed); slips++) {
            int allowed = slips;
            String near = known.stream()
                    .filter(each -> distance(typed, each, allowed) <= allowed)
                    .min(order)
                    .orElse(null);
            if (near != null) {
                return near;
            }
        }
        return null;
    }

    /** Whether {@code other} differs from {@code typed} by a few typos. */
    public static boolean isNear(String typed, String other) {
        int slips = slipsIn(typed);
        return slips > 0 && distance(typed, other, slips) <= slips;
    }

    /** The question to append to an error message about an unknown name; empty if {@code near} is null. */
    public static String question(@Nullable String near) {
        return near == null ? "" : "; did you mean " + near + "?";
    }

    /**
     * How many typos are plausible in a name of this length. Short names allow fewer because they are often similar by
     * chance.
     */
    private static int slipsIn(String name) {
        return name.length() < 3 ? 0 : name.length() < 12 ? 1 : 2;
    }

    /**
     * The edit distance between two texts: the number of characters to insert, delete, replace or swap with their
     * neighbour (optimal string alignment). Returns {@code limit + 1} if it exceeds {@code limit}.
     */
    private static int distance(String one, String other, int limit) {
        if (Math.abs(one.length() - other.length()) > limit) {
            return limit + 1;
        }
        int[][] steps = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            // Cells farther from the diagonal exceed the limit.
            Arrays.fill(steps[i], limit + 1);
            int to = Math.min(other.length(), i + limit);
            for (int j = Math.max(0, i - limit); j <= to; j++) {
                if (i == 0 || j == 0) {
                    steps[i][j] = i + j;
                    continue;
                }
                int replaced = steps[i - 1][j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                steps[i][j] = Math.min(replaced, 1 + Math.min(steps[i - 1][j], steps[i][j - 1]));
                boolean swapped = i > 1
                        && j > 1
                        && one.charAt(i - 1) == other.charAt(j - 2)
                        && one.charAt(i - 2) == other.charAt(j - 1);
                if (swapped) {
                    steps[i][j] = Math.min(steps[i][j], steps[i - 2][j - 2] + 1);
                }
            }
        }
        return Math.min(steps[one.length()][other.length()], limit + 1);
    }
}
