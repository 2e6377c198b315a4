package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;

/**
 * Hears of all objects that a feed gives to its instance, as bytes, for programs that need more of them than the
 * instance keeps. An object is told just before the instance gets it. Each kind tells in order, and kinds tell at the
 * same time; calls must return soon, and throw nothing. Bytes are valid during the call alone.
 */
public interface FedObjects {
    /** A list of the kind begins, in place of one that is under way: it tells every object that there is. */
    void listBegins(ObjectKind kind);

    /** The list is complete: objects that it did not tell are gone. */
    void listEnds(ObjectKind kind);

    /** An object was listed, was added or has changed. One that did not change may be told again. */
    void put(ObjectKind kind, byte[] bytes, int from, int to);

    /** An object was deleted. */
    void deleted(ObjectKind kind, byte[] bytes, int from, int to);

    /** Nobody hears of them. */
    FedObjects NOBODY = new FedObjects() {
        @Override
        public void listBegins(ObjectKind kind) {}

        @Override
        public void listEnds(ObjectKind kind) {}

        @Override
        public void put(ObjectKind kind, byte[] bytes, int from, int to) {}

        @Override
        public void deleted(ObjectKind kind, byte[] bytes, int from, int to) {}
    };
}
