package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import org.jspecify.annotations.Nullable;

/**
 * The owner reference of an incoming pod that has {@code controller: true}.
 *
 * @param selector taken in place of the stored controller's; null for the stored one's
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
