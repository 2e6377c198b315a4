package io.evenkeel.engine.model;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A node of the cluster, reduced to the fields that topology spread depends on.
 *
 * @param uid opaque, not empty
 * @param resourceVersion as an unsigned integer; 0 if unknown, which always counts as newer
 */
public record NodeObject(
        String name,
        String uid,
        long resourceVersion,
        Map<String, String> labels,
        List<NodeTaint> taints,
        boolean unschedulable) {
    public NodeObject {
        // Not Map.copyOf: callers can choose keys of equal String.hashCode, and its maps then search one cell after
        // another.
        labels = Collections.unmodifiableMap(new HashMap<>(labels));
        taints = List.copyOf(taints);
    }
}
