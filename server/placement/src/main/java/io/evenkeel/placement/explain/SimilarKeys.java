package io.evenkeel.placement.explain;

import io.evenkeel.objects.SimilarNames;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Suggests the label key that was probably meant by one that no object has. */
final class SimilarKeys {
    /** Shorter names are often parts of others by chance. */
    private static final int MIN_PART = 4;

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
     * The key that was probably meant, or null. From the likeliest on, it is: a new or old name of the same label; the
     * same but for case and punctuation; the same name with another prefix; a key or a name with a typo; a name of
     * which one is a part of the other, with the same prefix or any.
     */
    @Nullable
    String meantBy(String key) {
        String bare = bare(key);
        String name = bare(name(key));
        List<Predicate<String>> rules = List.of(
                other -> RENAMED.stream().anyMatch(names -> names.contains(key) && names.contains(other)),
                other -> other.equalsIgnoreCase(key),
                other -> bare(other).equals(bare),
                other -> bare(name(other)).equals(name),
                other -> isNear(prefix(key), prefix(other)) && isNear(name(key), name(other)),
                other -> isNear(name, bare(name(other))),
                other -> prefix(other).equals(prefix(key)) && isPart(name(key), name(other)),
                other -> isPart(name(key), name(other)));
        return rules.stream()
                .flatMap(rule -> carriersOfKey.keySet().stream().filter(rule).min(mostCarriedFirst()).stream())
                .findFirst()
                .orElse(null);
    }

    private static boolean isNear(String typed, String other) {
        return typed.equals(other) || SimilarNames.isNear(typed, other);
    }

    /** Whether one name starts or ends with the other. */
    private static boolean isPart(String name, String other) {
        String longer = bare(name.length() >= other.length() ? name : other);
        String shorter = bare(name.length() >= other.length() ? other : name);
        return shorter.length() >= MIN_PART && (longer.startsWith(shorter) || longer.endsWith(shorter));
    }

    private Comparator<String> mostCarriedFirst() {
        return Comparator.comparingInt((String key) -> -carriersOfKey.getOrDefault(key, 0))
                .thenComparing(Comparator.naturalOrder());
    }

    /** The letters and digits, in lower case. */
    private static String bare(String key) {
        return key.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    private static String name(String key) {
        return key.substring(key.lastIndexOf('/') + 1);
    }

    private static String prefix(String key) {
        return key.substring(0, key.lastIndexOf('/') + 1);
    }
}
