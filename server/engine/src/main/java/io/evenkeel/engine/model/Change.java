package io.evenkeel.engine.model;

/** How the engine learned of an object: by a watch event (added, modified, deleted) or from a snapshot (listed). */
public enum Change {
    /** A watch event. A UID that was deleted a short time ago comes back only where it is not older than it was. */
    ADDED,
    /** A watch event. It never brings back a UID that was deleted a short time ago. */
    MODIFIED,
    /** A watch event. It removes the object with that UID, whatever else it says. */
    DELETED,
    /** An object of a snapshot. It replaces what is stored, whatever the resourceVersion. */
    LISTED
}
