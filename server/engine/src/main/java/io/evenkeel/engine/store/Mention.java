package io.evenkeel.engine.store;

/** What a snapshot under way has learned of an object: in ascending order of what that says. */
enum Mention {
    /** Nothing: the object goes at the end. */
    NONE,
    /** Something that only counts where the object is newer than the list, which cannot know it then. */
    IF_NEWER,
    /** That the object is there: it stays. */
    SURE
}
