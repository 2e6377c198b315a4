package io.evenkeel.kube;

/** How far an attempt to list or watch a kind has got. */
enum AttemptProgress {
    /** No list is complete, and no watch is open. */
    NOTHING,
    /** A list in pages is complete, and that was all. */
    LISTED,
    /** A watch is open. */
    WATCHING,
    /** A watch is open, and has brought an event or a bookmark, or the list that it began with. */
    ADVANCED
}
