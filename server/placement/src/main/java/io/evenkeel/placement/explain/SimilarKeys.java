package io.evenkeel.placement.explain;

import io.evenkeel.objects.SimilarNames;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Suggests the label key that was probably meant by one that no object has. */
final class SimilarKeys {
    private static final int MAX_SIBLINGS = 5;

    /** Well-known Kubernetes labels that were renamed. Each list contains the keys of one label. */
    private static final List<List<String>> RENAMED = List.of(
            List.of("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"),
            List.of("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"),
            List.of("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"),
            List.of("kubernetes.io/os", "beta.kubernetes.io/os"),
            List.of("kubernetes.io/arch", "beta.kubernetes.io/arch"));

    private final SortedMap<String, Integer> carriersOfKey;

    /** @param carriersOfKey the existing keys, with the number of objects that have each */
    SimilarKeys(SortedMap<String, Integer> carriersOfKey) {
        this.carriersOfKey = carriersOfKey;
    }

    /**
     * The key that was probably meant, or null. It is a new or old name of the same label, differs only in case, has
     * another prefix, or differs by a typo.
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
        return SimilarNames.nearest(key, carriersOfKey.keySet(), mostCarriedFirst());
    }

    /** Up to {@value #MAX_SIBLINGS} existing keys with the prefix of {@code key}, the most common first. */
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
        return carriersOfKey.keySet().stream()
                .filter(isNear)
                .min(mostCarriedFirst())
                .orElse(null);
    }

    private Comparator<String> mostCarriedFirst() {
        return Comparator.comparingInt((String key) -> -carriersOfKey.getOrDefault(key, 0))
                .thenComparing(Comparator.naturalOrder());
    }

    private static String name(String key) {
        return key.substring(key.lastIndexOf('/') + 1);
    }

    private static String prefix(String key) {
        return key.substring(0, key.lastIndexOf('/') + 1);
    }
}
