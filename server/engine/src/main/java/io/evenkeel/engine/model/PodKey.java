package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import org.jspecify.annotations.Nullable;

/**
 * Names a pod of the cluster: by its UID, or by namespace and name. A UID that is a UUID in canonical form is kept as
 * two numbers, because a call may name a great many pods.
 */
public final class PodKey {
    /** The UID if it is opaque, that is, not a UUID; empty if the pod is named by namespace and name. */
    private final String opaque;

    private final boolean uuid;
    private final long high;
    private final long low;
    private final String namespace;
    private final String name;

    /** Whether the caller omitted the namespace. Does not affect equality. */
    private final boolean namespaceImplied;

    private PodKey(
            boolean uuid, long high, long low, String opaque, String namespace, String name, boolean namespaceImplied) {
        this.uuid = uuid;
        this.high = high;
        this.low = low;
        this.opaque = opaque;
        this.namespace = namespace;
        this.name = name;
        this.namespaceImplied = namespaceImplied;
    }

    private static PodKey of(Uid uid) {
        return uid.isOpaque()
                ? new PodKey(false, 0, 0, uid.toString(), "", "", false)
                : new PodKey(true, uid.high(), uid.low(), "", "", "", false);
    }

    /** The key of a UID, which must not be empty. */
    public static PodKey ofUid(String uid) {
        return of(Uid.of(uid));
    }

    /** The key of the UID in {@code text}, in UTF-8, from {@code from} up to {@code to}. */
    public static PodKey ofUid(byte[] text, int from, int to) {
        Uid uid = new Uid();
        uid.read(text, from, to);
        return of(uid);
    }

    public static PodKey ofName(String namespace, String name) {
        return new PodKey(false, 0, 0, "", namespace, name, false);
    }

    /** Same as {@link #ofName}, for a caller that named no namespace, so that it is {@code implied}. */
    public static PodKey ofNameIn(String implied, String name) {
        return new PodKey(false, 0, 0, "", implied, name, true);
    }

    /** Whether it names the pod by its UID. */
    public boolean isByUid() {
        return uuid || !opaque.isEmpty();
    }

    /** Whether it names the pod by a UID that is a UUID in canonical form. */
    public boolean isUuid() {
        return uuid;
    }

    /** The first 64 bits of the UUID. */
    public long high() {
        return high;
    }

    /** The last 64 bits of the UUID. */
    public long low() {
        return low;
    }

    /** The UID; empty if the pod is named by namespace and name. */
    public String uid() {
        return uuid ? Uid.text(high, low) : opaque;
    }

    /** The namespace; empty if the pod is named by its UID. */
    public String namespace() {
        return namespace;
    }

    /** Whether the caller named no namespace. */
    public boolean isNamespaceImplied() {
        return namespaceImplied;
    }

    /** The name; empty if the pod is named by its UID. */
    public String name() {
        return name;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PodKey key
                && uuid == key.uuid
                && high == key.high
                && low == key.low
                && opaque.equals(key.opaque)
                && namespace.equals(key.namespace)
                && name.equals(key.name);
    }

    /** Keyed, because callers choose these values and maps use them as keys. */
    @Override
    public int hashCode() {
        return uuid ? KeyedHash.of(high, low) : KeyedHash.ofAll(opaque, namespace, name);
    }

    @Override
    public String toString() {
        return isByUid() ? uid() : namespace + "/" + name;
    }
}
