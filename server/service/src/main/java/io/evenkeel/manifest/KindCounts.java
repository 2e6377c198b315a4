package io.evenkeel.manifest;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.Quotes;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts the skipped objects by kind. The number of kinds is bounded. */
final class KindCounts {
    private static final int MAX_KINDS = 200;
    private static final String OTHERS = "(others)";

    private final Map<String, Long> counts = new TreeMap<>();

    void add(String kind, @Nullable String apiVersion) {
        // An object of a needed kind is skipped only if it belongs to another API group.
        add(ObjectKind.named(kind) == null ? kind : kind + " of " + apiVersion);
    }

    void add(String name) {
        String shown = Quotes.shortened(name);
        counts.merge(counts.size() < MAX_KINDS || counts.containsKey(shown) ? shown : OTHERS, 1L, Long::sum);
    }

    Map<String, Long> byKind() {
        return Collections.unmodifiableMap(new TreeMap<>(counts));
    }
}
