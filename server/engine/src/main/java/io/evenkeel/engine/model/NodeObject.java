package io.evenkeel.engine.model;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A node of the cluster, as far as spread looks at it.
 *
 * @param uid opaque, not empty
 * @param resourceVersion as an unsigned integer; 0 where unknown, which is always taken as newer
 */
public record NodeObject(
        String name,
        String uid,
        long resourceVersion,
        Map<String, String> labels,
        List<NodeTaint> taints,
        boolean unschedulable) {
    public NodeObject {
        // Not Map.copyOf: its maps search cell after cell among keys of equal String.hashCode, which callers can
        // choose.
        labels = Collections.unmodifiableMap(new HashMap<>(labels));
        taints = List.copyOf(taints);
    }
}
