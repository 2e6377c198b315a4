package io.evenkeel.objects;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Guesses which known name was meant by an unknown one: a name that differs in upper and lower case only, or by a
 * typing mistake.
 */
public final class NearNames {
    private NearNames() {}

    /**
     * The known name that is nearest to {@code typed}, or null where none is near. Of several equally near names it is
     * the first by the alphabet.
     */
    public static @Nullable String nearest(String typed, Collection<String> known) {
        String otherCase = first(known, each -> each.equalsIgnoreCase(typed));
        if (otherCase != null) {
            return otherCase;
        }
        for (int slips = 1; slips <= slipsIn(typed); slips++) {
            int allowed = slips;
            String near = first(known, each -> distance(typed, each, allowed) <= allowed);
            if (near != null) {
                return near;
            }
        }
        return null;
    }

    /** The question to add to an error message about an unknown name; empty where no name is near. */
    public static String question(@Nullable String near) {
        return near == null ? "" : "; did you mean " + near + "?";
    }

    private static @Nullable String first(Collection<String> names, Predicate<String> isNear) {
        return names.stream().filter(isNear).min(Comparator.naturalOrder()).orElse(null);
    }

    /**
     * How many typing mistakes are likely in a name of that length. Fewer count for short names, since these are often
     * near each other by chance.
     */
    public static int slipsIn(String name) {
        return name.length() < 4 ? 0 : name.length() < 12 ? 1 : 2;
    }

    /**
     * How many characters must be put in, left out, replaced or swapped with their neighbour to make one text of the
     * other (optimal string alignment); {@code limit + 1} where it is more than {@code limit}.
     */
    public static int distance(String one, String other, int limit) {
        if (Math.abs(one.length() - other.length()) > limit) {
            return limit + 1;
        }
        int[][] steps = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            // Cells farther from the diagonal have a distance above the limit.
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
