package io.evenkeel.engine.model;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A PodDisruptionBudget. Only the removal of nodes and preemption respect it.
 *
 * @param selector the pods of the namespace that it protects; null for none, empty for all
 * @param allowed how many more pods may be evicted; evictions in progress can make it negative
 * @param disrupted the names of the pods whose eviction {@code allowed} takes into account already
 */
public record DisruptionBudget(
        String namespace,
        String name,
        String uid,
        long resourceVersion,
        @Nullable PodSelector selector,
        int allowed,
        Set<String> disrupted)
        implements NamespacedObject<DisruptionBudget> {
    @Override
    public ObjectKind kind() {
        return ObjectKind.POD_DISRUPTION_BUDGET;
    }

    @Override
    public DisruptionBudget atVersion(long version) {
        return version == resourceVersion
                ? this
                : new DisruptionBudget(namespace, name, uid, version, selector, allowed, disrupted);
    }
}
