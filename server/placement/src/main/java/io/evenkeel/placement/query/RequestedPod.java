package io.evenkeel.placement.query;

import io.evenkeel.v1.Pod;
import org.jspecify.annotations.Nullable;

/** A pod of a request: one that is known by its bytes, or else what was parsed. Immutable. */
public final class RequestedPod {
    private final @Nullable CachedPod known;
    private final @Nullable Pod parsed;
    private final byte @Nullable [] key;
    private final long hash;

    private RequestedPod(@Nullable CachedPod known, @Nullable Pod parsed, byte @Nullable [] key, long hash) {
        this.known = known;
        this.parsed = parsed;
        this.key = key;
        this.hash = hash;
    }

    static RequestedPod of(CachedPod known) {
        return new RequestedPod(known, null, null, 0);
    }

    static RequestedPod of(Pod parsed) {
        return new RequestedPod(null, parsed, null, 0);
    }

    /** One whose like will be known by {@code key}. */
    static RequestedPod of(Pod parsed, byte[] key, long hash) {
        return new RequestedPod(null, parsed, key, hash);
    }

    /** The pod, where it is known. */
    @Nullable
    CachedPod known() {
        return known;
    }

    /** What was parsed, where it is not known. */
    @Nullable
    Pod parsed() {
        return parsed;
    }

    /** To know the next of its kind by; null where it is known, or cannot be known by its bytes. */
    byte @Nullable [] key() {
        return key;
    }

    /** Of the key. */
    long hash() {
        return hash;
    }
}
