package io.evenkeel.placement.change;

import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Refusal;

/** Creates the entries of a response for rejected objects. */
public final class Refusals {
    private Refusals() {}

    /**
     * The refusal of an object.
     *
     * @param position the position of the object in the message, from 0
     */
    public static Refusal of(int position, ObjectMeta metadata, ItemError error) {
        return of(position, name(metadata.getNamespace(), metadata.getName()), error);
    }

    static Refusal of(int position, String object, ItemError error) {
        return Refusal.newBuilder()
                .setPosition(position)
                .setObject(object)
                .setError(error)
                .build();
    }

    /** The name of an object in a refusal. The namespace is empty if the object has none. */
    static String name(String namespace, String name) {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
