package io.evenkeel.placement;

import io.evenkeel.engine.model.ObjectKind;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one kind of object: who feeds it, and how far the feed has got.
 *
 * @param ready whether there is a state of it
 * @param fed whether a stream feeds it now, from a source that it reaches
 * @param feeder how that stream names itself, also while its source is away; may be empty
 * @param since since when it is fed; null where it is not
 * @param version the resource version that names the state; 0 where none is told
 * @param heldVersion every event up to this version is held; 0 where that is not known
 * @param lastEvent when the last event of its feed came; null where none did
 * @param lastBookmark when the last bookmark came; null where none did
 * @param age the time since its feed was heard of, by an event, a bookmark or the end of a snapshot; null where it
 *     never was
 * @param applied how many objects and events changed something so far
 * @param unchanged how many changed nothing
 * @param refused how many were refused
 * @param bookmarks how many bookmarks came
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
