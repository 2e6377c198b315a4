package io.evenkeel.cli;

import io.evenkeel.objects.SimilarNames;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Suggests pods with names similar to one that no pod has. It looks at each pod while the cluster is read and keeps
 * only the nearest, because there may be millions.
 */
final class SimilarPods {
    private static final int MOST = 3;

    private final String namespace;
    private final String name;
    private final int slips;

    private final List<String> inOtherNamespaces = new ArrayList<>();
    private final List<String> slipped = new ArrayList<>();
    private final List<String> ofWorkload = new ArrayList<>();

    /** @param wanted the name that was given, as {@code namespace/name} */
    SimilarPods(String wanted) {
        int slash = wanted.indexOf('/');
        namespace = wanted.substring(0, slash);
        name = wanted.substring(slash + 1);
        slips = SimilarNames.slipsIn(name);
    }

    void look(String otherNamespace, String other) {
        if (other.equals(name)) {
            add(inOtherNamespaces, otherNamespace, other);
        } else if (otherNamespace.equals(namespace)) {
            if (slips > 0 && SimilarNames.distance(name, other, slips) <= slips) {
                add(slipped, otherNamespace, other);
            } else if (other.startsWith(name + "-")) {
                add(ofWorkload, otherNamespace, other);
            }
        }
    }

    private static void add(List<String> found, String namespace, String name) {
        String full = namespace + "/" + name;
        if (found.size() < MOST && !found.contains(full)) {
            found.add(full);
        }
    }

    /** The best suggestions, the likeliest first. */
    List<String> names() {
        return Stream.of(inOtherNamespaces, slipped, ofWorkload)
                .flatMap(List::stream)
                .limit(MOST)
                .toList();
    }
}
