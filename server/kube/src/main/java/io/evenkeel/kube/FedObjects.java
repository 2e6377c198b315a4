package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;

/**
 * Receives the bytes of every object that a feed passes to its instance, for programs that need more of an object than
 * the instance keeps. It is called just before the instance gets the object. Calls for one kind come in order; calls
 * for different kinds may overlap. Calls must return soon and must not throw. Bytes are valid only during the call.
 */
public interface FedObjects {
    /** A list of the kind begins, and replaces one that is under way. It contains every object that exists. */
    default void listBegins(ObjectKind kind) {}

    /** The list is complete. Objects that were not in it are gone. */
    default void listEnds(ObjectKind kind) {}

    /** An object was listed, added or changed. An unchanged object may be passed again. */
    default void put(ObjectKind kind, byte[] bytes, int from, int to) {}

    /** An object was deleted. */
    default void deleted(ObjectKind kind, byte[] bytes, int from, int to) {}

    /** Ignores all objects. */
    FedObjects NOBODY = new FedObjects() {};
}
