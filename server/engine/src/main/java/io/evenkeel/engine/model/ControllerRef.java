package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import org.jspecify.annotations.Nullable;

/**
 * The owner reference of an incoming pod that has {@code controller: true}.
 *
 * @param selector the selector that the controller will have, whatever the cluster has of it; null for the cluster's
 */
public record ControllerRef(
        String apiVersion,
        String kind,
        String name,
        @Nullable PodSelector selector) {
    /** A reference to what the cluster has. */
    public ControllerRef(String apiVersion, String kind, String name) {
        this(apiVersion, kind, name, null);
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(apiVersion, kind, name, selector);
    }
}
