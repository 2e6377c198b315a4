package io.evenkeel.placement.query;

import io.evenkeel.v1.Pod;
import org.jspecify.annotations.Nullable;

/** A pod of a request: one that is known by its bytes, or else what was parsed. Immutable. */
public final class AskedPod {
    private final @Nullable KnownPod known;
    private final @Nullable Pod parsed;
    private final byte @Nullable [] key;
    private final long hash;

    private AskedPod(@Nullable KnownPod known, @Nullable Pod parsed, byte @Nullable [] key, long hash) {
        this.known = known;
        this.parsed = parsed;
        this.key = key;
        this.hash = hash;
    }

    static AskedPod of(KnownPod known) {
        return new AskedPod(known, null, null, 0);
    }

    static AskedPod of(Pod parsed) {
        return new AskedPod(null, parsed, null, 0);
    }

    /** One whose like will be known by {@code key}. */
    static AskedPod of(Pod parsed, byte[] key, long hash) {
        return new AskedPod(null, parsed, key, hash);
    }

    /** The pod, where it is known. */
    @Nullable
    KnownPod known() {
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
