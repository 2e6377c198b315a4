package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;

/** Names a pod of the cluster: by its UID or, where the UID is empty, by namespace and name. */
public record PodKey(String uid, String namespace, String name) {
    public static PodKey ofUid(String uid) {
        return new PodKey(uid, "", "");
    }

    public static PodKey ofName(String namespace, String name) {
        return new PodKey("", namespace, name);
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(uid, namespace, name);
    }
}
