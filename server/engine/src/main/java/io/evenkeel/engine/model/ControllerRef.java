package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;

/** The owner reference with {@code controller: true} of an incoming pod. */
public record ControllerRef(String apiVersion, String kind, String name) {
    /** Keyed: these are what maps look for, and callers choose them. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(apiVersion, kind, name);
    }
}
