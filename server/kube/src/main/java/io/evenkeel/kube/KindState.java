package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the feed of one kind is doing.
 *
 * @param since when this phase began
 * @param problem why the last attempt failed; null if none has failed since the last open watch
 */
public record KindState(
        ObjectKind kind,
        Phase phase,
        Instant since,
        @Nullable String problem) {
    /** The phases of a feed. */
    public enum Phase {
        /** It has requested a list or a watch and is waiting for the response. */
        CONNECTING,
        /** It is receiving a list. */
        LISTING,
        /** A watch is open. */
        WATCHING,
        /** An attempt failed, and it waits before the next one. The instance keeps serving the last known state. */
        WAITING,
        /** It was closed. */
        STOPPED
    }
}
