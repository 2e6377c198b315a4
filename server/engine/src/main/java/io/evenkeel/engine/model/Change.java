package io.evenkeel.engine.model;

/** How an object came to be told of. */
public enum Change {
    /** A watch event; an object of a UID deleted a short while ago comes back only with a newer resourceVersion. */
    ADDED,
    /** A watch event; never brings back a UID deleted a short while ago. */
    MODIFIED,
    /** A watch event; removes the object of that UID, whatever else it carries. */
    DELETED,
    /** An object of a snapshot: the truth about that object, whatever its resourceVersion. */
    LISTED
}
