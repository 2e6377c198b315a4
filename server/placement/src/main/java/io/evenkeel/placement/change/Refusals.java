package io.evenkeel.placement.change;

import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Refusal;

/** Objects of a message that are refused, as its response names them. */
public final class Refusals {
    private Refusals() {}

    /**
     * Why an object is refused, and which.
     *
     * @param position where the object stands in the message, from 0
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

    /** How a refusal names an object; the namespace is empty where it has none. */
    static String name(String namespace, String name) {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
