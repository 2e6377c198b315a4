package io.evenkeel.placement.call;

import io.evenkeel.engine.model.ObjectKind;
import java.util.Map;
import java.util.Set;

/**
 * Receives events about feeds, in order, in the thread that caused them. Implementations must not block. A feeder
 * chooses its own name, which may be empty.
 */
public interface FeedListener {
    /** A stream has started snapshots of these kinds, initial or later ones. */
    default void snapshotBegun(String feeder, Set<ObjectKind> kinds) {}

    /** The snapshots of these kinds are complete, each at its version, or 0 if unknown. */
    default void snapshotEnded(String feeder, Map<ObjectKind, Long> versions) {}

    /** Another stream has taken over these kinds from a stream, which ends. */
    default void takenOver(String from, String by, Set<ObjectKind> kinds) {}

    /**
     * A stream that feeds these kinds has ended.
     *
     * @param aborted the kinds whose snapshot was aborted
     * @param why the reason, such as "its connection broke"
     */
    default void streamEnded(String feeder, Set<ObjectKind> kinds, Set<ObjectKind> aborted, String why) {}

    /** The set of kinds that have a state has changed to this. */
    default void ready(Set<ObjectKind> kinds) {}
}
