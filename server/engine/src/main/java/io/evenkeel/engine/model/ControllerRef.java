package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import org.jspecify.annotations.Nullable;

/**
 * The owner reference of an incoming pod that has {@code controller: true}.
 *
 * @param selector replaces the stored controller's selector; null to use the stored one
 */
public record ControllerRef(
        String apiVersion,
        String kind,
        String name,
        @Nullable PodSelector selector) {
    /** A reference to an object of the cluster. */
    public ControllerRef(String apiVersion, String kind, String name) {
        this(apiVersion, kind, name, null);
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(apiVersion, kind, name, selector);
    }
}
