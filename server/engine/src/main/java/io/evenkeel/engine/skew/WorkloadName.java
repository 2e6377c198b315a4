package io.evenkeel.engine.skew;

import io.evenkeel.engine.memory.KeyedHash;

/** Names a workload: a controller of pods. */
public record WorkloadName(String namespace, String kind, String name) {
    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return KeyedHash.ofAll(namespace, kind, name);
    }
}
