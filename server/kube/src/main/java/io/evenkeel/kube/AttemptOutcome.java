package io.evenkeel.kube;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt to list or watch has ended, and what follows from that.
 *
 * @param resumed whether it was to open a watch, and not the first one after a list in pages
 * @param progress how far it got
 * @param lasted how long it lasted, from the end of its list where that was streamed
 * @param failure null where the API server ended the answer as it may
 */
record AttemptOutcome(
        boolean resumed,
        Progress progress,
        Duration lasted,
        @Nullable Exception failure) {
    /**
     * A watch that ends sooner, and without an event, counts as a failure, and one that lasts ends a row of failures.
     */
    private static final Duration SHORT_WATCH = Duration.ofSeconds(5);

    /** How far an attempt has got. */
    enum Progress {
        /** No list is complete, and no watch is open. */
        NOTHING,
        /** A list in pages is complete, and that was all. */
        LISTED,
        /** A watch is open. */
        WATCHING,
        /** A watch is open, and has brought an event or a bookmark, or the list that it began with. */
        ADVANCED
    }

    /** What follows. */
    enum Decision {
        /** The next attempt begins at once. */
        GO_ON,
        /**
         * The watch brought something, and ended soon, as one may for any reason: nobody is told. The next one begins
         * at once after the first such end in a row, and waits for a short time after others.
         */
        GO_ON_AFTER_CUT,
        /** The failure is told, and the next watch waits for a short time, since this one brought something. */
        WAIT_AFTER_CUT,
        /** The failure is told, and the next attempt waits, the longer the more have failed. */
        WAIT,
        /** As {@link #WAIT}, and then the kind is listed anew. */
        LIST_ANEW
    }

    /** What follows. */
    Decision decision() {
        if (failure == null) {
            if (progress == Progress.LISTED || !isShort()) {
                return Decision.GO_ON;
            }
            return progress == Progress.ADVANCED ? Decision.GO_ON_AFTER_CUT : Decision.WAIT;
        }
        if (failure instanceof SocketTimeoutException && isWatchOpened()) {
            // Some API servers send no bookmarks where nothing changes. One that is dead does not take the next watch.
            return Decision.GO_ON;
        }
        if (isVersionUnusable(failure)) {
            return Decision.LIST_ANEW;
        }
        // Each failure of the watch that follows a list counts: lists must come less and less often.
        return resumed && isShort() && progress == Progress.ADVANCED ? Decision.WAIT_AFTER_CUT : Decision.WAIT;
    }

    /** Whether the API server is there again, after whatever failed before. */
    boolean endsFailures() {
        return isWatchOpened() && !isShort() || resumed && failure instanceof ApiException api && api.isGone();
    }

    /** What is told where the next attempt waits. */
    Exception problem() {
        return failure == null ? new IOException("watches end at once") : failure;
    }

    private boolean isShort() {
        return lasted.compareTo(SHORT_WATCH) < 0;
    }

    private boolean isWatchOpened() {
        return progress == Progress.WATCHING || progress == Progress.ADVANCED;
    }

    private static boolean isVersionUnusable(Exception failure) {
        return failure instanceof ApiException api && (api.isGone() || api.isInvalidRequest())
                || failure instanceof OlderStateException
                || failure instanceof MalformedAnswerException
                || failure instanceof RuntimeException;
    }
}
