package io.evenkeel.placement.change;

import io.evenkeel.engine.model.ObjectKind;
import java.util.Map;
import java.util.Set;

/**
 * Is told of what becomes of feeds, after it has happened and in order, in the thread that made it happen. It must not
 * block. A feeder is named as it named itself, which may be empty.
 */
public interface FeedListener {
    /** A stream has begun snapshots of these kinds, its first ones or later ones. */
    default void snapshotBegun(String feeder, Set<ObjectKind> kinds) {}

    /** The snapshots of these kinds are complete, each at its version, or at 0 where it was not told. */
    default void snapshotEnded(String feeder, Map<ObjectKind, Long> versions) {}

    /** A stream has lost these kinds to another one, and ends. */
    default void takenOver(String from, String by, Set<ObjectKind> kinds) {}

    /**
     * A stream that feeds these kinds has ended.
     *
     * @param brokenOff those of the kinds of which a snapshot was under way
     * @param why in words, such as "its connection broke"
     */
    default void streamEnded(String feeder, Set<ObjectKind> kinds, Set<ObjectKind> brokenOff, String why) {}

    /** There is a state of these kinds now, and of no others. Called where that has changed. */
    default void ready(Set<ObjectKind> kinds) {}
}
