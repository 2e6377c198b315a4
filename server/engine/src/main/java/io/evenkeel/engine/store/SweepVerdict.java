package io.evenkeel.engine.store;

/** What a snapshot in progress has learned about an object, from the least to the most certain. */
enum SweepVerdict {
    /** Nothing: the object is removed at the end. */
    NONE,
    /** A change that counts only if the object is newer than the list, because then the list cannot know it. */
    IF_NEWER,
    /** The object exists: it stays. */
    SURE
}
