package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;

/** The owner reference of an incoming pod that has {@code controller: true}. */
public record ControllerRef(String apiVersion, String kind, String name) {
    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(apiVersion, kind, name);
    }
}
