package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;

/** A pod of the cluster, by UID or, where that is empty, by namespace and name. */
public record PodKey(String uid, String namespace, String name) {
    public static PodKey ofUid(String uid) {
        return new PodKey(uid, "", "");
    }

    public static PodKey ofName(String namespace, String name) {
        return new PodKey("", namespace, name);
    }

    /** Keyed: these are what maps look for, and callers choose them. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(uid, namespace, name);
    }
}
