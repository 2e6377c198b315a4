package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the feed of one kind does.
 *
 * @param since when it began to do so
 * @param problem why the last attempt failed; null where none has failed since the kind was watched last
 */
public record KindState(
        ObjectKind kind,
        Phase phase,
        Instant since,
        @Nullable String problem) {
    /** What a feed can do. */
    public enum Phase {
        /** It asks for a list or a watch, and has no answer yet. */
        CONNECTING,
        /** A list comes. */
        LISTING,
        /** A watch is open. */
        WATCHING,
        /** An attempt has failed, and it waits before the next one. The last state keeps answering. */
        WAITING,
        /** It was closed. */
        STOPPED
    }
}
