package io.evenkeel.placement;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds which label key was probably meant by one that is not there. */
final class NearKeys {
    private static final int MAX_SIBLINGS = 5;

    /** Keys by which the same label went, or goes; the well-known labels of Kubernetes that were renamed. */
    private static final List<List<String>> RENAMED = List.of(
            List.of("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"),
            List.of("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"),
            List.of("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"),
            List.of("kubernetes.io/os", "beta.kubernetes.io/os"),
            List.of("kubernetes.io/arch", "beta.kubernetes.io/arch"));

    private final SortedMap<String, Integer> carriersOfKey;

    /** @param carriersOfKey the keys that are there and how many objects carry each */
    NearKeys(SortedMap<String, Integer> carriersOfKey) {
        this.carriersOfKey = carriersOfKey;
    }

    /**
     * The key that was probably meant: a new or old name of the same label, the same but for upper and lower case, the same behind the prefix, or a slip of the pen away;
     * null where there is none.
     */
    @Nullable
    String meantBy(String key) {
        String renamed =
                best(other -> RENAMED.stream().anyMatch(names -> names.contains(key) && names.contains(other)));
        if (renamed != null) {
            return renamed;
        }
        String otherCase = best(other -> other.equalsIgnoreCase(key));
        if (otherCase != null) {
            return otherCase;
        }
        String name = name(key).toLowerCase(Locale.ROOT);
        String otherPrefix = best(other -> name(other).toLowerCase(Locale.ROOT).equals(name));
        if (otherPrefix != null) {
            return otherPrefix;
        }
        for (int slips = 1; slips <= slipsIn(key); slips++) {
            int allowed = slips;
            String slipped = best(other -> distance(key, other, allowed) <= allowed);
            if (slipped != null) {
                return slipped;
            }
        }
        return null;
    }

    /** The keys that are there under the prefix of {@code key}, most carried first; at most {@value #MAX_SIBLINGS}. */
    List<String> siblingsOf(String key) {
        String prefix = prefix(key);
        return prefix.isEmpty()
                ? List.of()
                : carriersOfKey.entrySet().stream()
                        .filter(each -> prefix(each.getKey()).equals(prefix))
                        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                        .limit(MAX_SIBLINGS)
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toList());
    }

    private @Nullable String best(Predicate<String> isNear) {
        return carriersOfKey.entrySet().stream()
                .filter(each -> isNear.test(each.getKey()))
                .max(Map.Entry.<String, Integer>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .map(Map.Entry::getKey)
                .orElse(null);
    }

    private static String name(String key) {
        return key.substring(key.lastIndexOf('/') + 1);
    }

    private static String prefix(String key) {
        return key.substring(0, key.lastIndexOf('/') + 1);
    }

    /** Short keys are soon near to each other by chance. */
    private static int slipsIn(String key) {
        return key.length() < 4 ? 0 : key.length() < 12 ? 1 : 2;
    }

    /**
     * How many characters must be put in, left out, replaced or swapped with their neighbour to make one text of the other (optimal string alignment); {@code limit + 1} where it
     * is more than {@code limit}.
     */
    private static int distance(String one, String other, int limit) {
        if (Math.abs(one.length() - other.length()) > limit) {
            return limit + 1;
        }
        int[][] steps = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            // Farther from the diagonal it is more than the limit.
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
