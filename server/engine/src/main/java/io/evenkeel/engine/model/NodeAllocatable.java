package io.evenkeel.engine.model;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/**
 * How much of each resource a node has for pods ({@code status.allocatable}).
 *
 * @param pods how many pods it takes
 * @param amounts by resource, in the units of {@link PodRequests}; a resource that is absent is 0
 */
public record NodeAllocatable(long pods, Map<String, Long> amounts) {
    /** Of a node that was given without it. */
    public static final NodeAllocatable NOTHING = new NodeAllocatable(0, Map.of());

    public NodeAllocatable {
        // Not Map.copyOf: its maps search one cell after another if keys have equal String.hashCode, and callers can
        // choose such keys.
        amounts = Collections.unmodifiableMap(new HashMap<>(amounts));
    }

    public long amount(String resource) {
        return amounts.getOrDefault(resource, 0L);
    }
}
