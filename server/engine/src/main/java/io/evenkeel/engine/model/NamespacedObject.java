package io.evenkeel.engine.model;

/** An object other than a pod, which is stored as it is and belongs to a namespace. */
public interface NamespacedObject<T extends NamespacedObject<T>> {
    ObjectKind kind();

    String namespace();

    String name();

    /** Opaque, not empty. */
    String uid();

    /** As an unsigned integer; 0 if unknown, which always counts as newer. */
    long resourceVersion();

    /** The same object at another version. */
    T atVersion(long version);
}
