package io.evenkeel.placement;

import io.evenkeel.engine.model.ObjectKind;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of one kind of object: its feeder, and the progress of the feed.
 *
 * @param ready whether there is a state of the kind
 * @param fed whether a stream with a reachable source currently feeds it
 * @param feeder the name of that stream's feeder, even while its source is unreachable; may be empty
 * @param since since when it is fed; null if it is not
 * @param version the resource version that identifies the state; 0 if there is none
 * @param heldVersion the state contains every event up to this version; 0 if unknown
 * @param lastEvent when the last event of its feed arrived; null if none did
 * @param lastBookmark when the last bookmark arrived; null if none did
 * @param age the time since the last event, bookmark or end of a snapshot of its feed; null if there was none
 * @param applied the number of objects and events that changed the state
 * @param unchanged the number that did not change it
 * @param refused the number that were rejected
 * @param bookmarks the number of bookmarks
 */
public record FeedState(
        ObjectKind kind,
        boolean ready,
        boolean snapshotUnderWay,
        boolean fed,
        String feeder,
        @Nullable Instant since,
        long version,
        long heldVersion,
        @Nullable Instant lastEvent,
        @Nullable Instant lastBookmark,
        @Nullable Duration age,
        long applied,
        long unchanged,
        long refused,
        long bookmarks) {}
