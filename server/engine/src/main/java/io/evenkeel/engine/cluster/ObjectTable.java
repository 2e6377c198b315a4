package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.NamespacedObject;
import io.evenkeel.engine.model.ObjectKind;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** Stores objects of some kinds as they are, each by its UID and its name. */
public interface ObjectTable<T extends NamespacedObject<T>> {
    @Nullable
    T find(String uid);

    /** The stored object with the same kind, namespace and name. */
    @Nullable
    T namesake(T object);

    /**
     * Stores an object, in place of one with the same UID or name; returns whether anything but the resourceVersion
     * changed.
     */
    boolean put(T object);

    /** Removes the object with that UID; returns whether there was one. */
    boolean remove(String uid);

    int size();

    /**
     * The objects of a kind. The table may change in between: the iterator may omit objects added meanwhile, and may
     * return objects removed meanwhile.
     */
    Iterator<T> of(ObjectKind kind);
}
