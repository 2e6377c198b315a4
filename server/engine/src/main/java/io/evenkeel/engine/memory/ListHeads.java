package io.evenkeel.engine.memory;

/** Where lists begin, one for each owner: the first element is kept with the owner. */
public interface ListHeads {
    /** The first element of an empty list. */
    int NONE = -1;

    /** The first element of an owner's list, NONE where it is empty. */
    int first(int owner);

    void setFirst(int owner, int element);

    /** The list has got longer by {@code by}, which may be negative; owners that need no length count none. */
    default void resize(int owner, int by) {}
}
