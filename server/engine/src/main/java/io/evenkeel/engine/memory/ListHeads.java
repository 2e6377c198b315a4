package io.evenkeel.engine.memory;

/** Holds the first element of each of many linked lists. Each list has an owner, which is a number. */
public interface ListHeads {
    /** Marks an empty list. */
    int NONE = -1;

    /** The first element of the owner's list, or NONE if the list is empty. */
    int first(int owner);

    void setFirst(int owner, int element);

    /**
     * Called when the list has become longer by {@code by}, which may be negative. Does nothing unless lengths are
     * kept.
     */
    default void resize(int owner, int by) {}
}
