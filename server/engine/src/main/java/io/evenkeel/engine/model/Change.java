package io.evenkeel.engine.model;

/** How the engine learned of an object: by a watch event (added, modified, deleted) or from a snapshot (listed). */
public enum Change {
    /** A watch event. It restores a recently deleted UID only if it is not older than the deleted object. */
    ADDED,
    /** A watch event. It never restores a recently deleted UID. */
    MODIFIED,
    /** A watch event. It removes the object with that UID, whatever else it contains. */
    DELETED,
    /** An object of a snapshot. It replaces what is stored, whatever the resourceVersion. */
    LISTED
}
