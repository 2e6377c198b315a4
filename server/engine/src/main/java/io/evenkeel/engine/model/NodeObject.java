package io.evenkeel.engine.model;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node of the cluster, reduced to the fields that answers depend on.
 *
 * @param uid opaque, not empty
 * @param resourceVersion as an unsigned integer; 0 if unknown, which always counts as newer
 * @param allocatable null if the node was given without it: then it has nothing to offer
 */
public record NodeObject(
        String name,
        String uid,
        long resourceVersion,
        Map<String, String> labels,
        List<NodeTaint> taints,
        boolean unschedulable,
        @Nullable NodeAllocatable allocatable) {
    public NodeObject {
        // Not Map.copyOf: callers can choose keys of equal String.hashCode, and its maps then search one cell after
        // another.
        labels = Collections.unmodifiableMap(new HashMap<>(labels));
        taints = List.copyOf(taints);
    }

    /** A node that was given without its resources. */
    public NodeObject(
            String name,
            String uid,
            long resourceVersion,
            Map<String, String> labels,
            List<NodeTaint> taints,
            boolean unschedulable) {
        this(name, uid, resourceVersion, labels, taints, unschedulable, null);
    }
}
