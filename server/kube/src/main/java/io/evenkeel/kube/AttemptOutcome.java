package io.evenkeel.kube;

import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.MalformedAnswerException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt to list or watch ended, and what to do next.
 *
 * @param resumed whether it tried to open a watch other than the first one after a paged list
 * @param progress how far it got
 * @param lasted how long it lasted, counted from the end of the list if that was streamed
 * @param failure null if the API server ended the response normally
 */
record AttemptOutcome(
        boolean resumed,
        Progress progress,
        Duration lasted,
        @Nullable Exception failure) {
    /** A watch that ends sooner without an event counts as a failure. One that lasts longer ends a run of failures. */
    private static final Duration SHORT_WATCH = Duration.ofSeconds(5);

    /** How far an attempt has got. */
    enum Progress {
        /** No list is complete and no watch is open. */
        NOTHING,
        /** A paged list is complete, but no watch is open. */
        LISTED,
        /** A watch is open. */
        WATCHING,
        /** A watch is open and has delivered an event, a bookmark, or its initial list. */
        ADVANCED
    }

    /** What to do next. */
    enum Decision {
        /** Start the next attempt immediately. */
        GO_ON,
        /**
         * The watch delivered something but was cut short, which can have many harmless causes, so it is not reported.
         * After the first such end in a row the next watch starts immediately; after more, it waits briefly.
         */
        GO_ON_AFTER_CUT,
        /** Report the failure and wait briefly, because the watch delivered something. */
        WAIT_AFTER_CUT,
        /** Report the failure and wait. The wait grows with each failure. */
        WAIT,
        /** Like {@link #WAIT}, but list the kind again afterwards. */
        LIST_ANEW
    }

    /** What to do next. */
    Decision decision() {
        if (failure == null) {
            if (progress == Progress.LISTED || !isShort()) {
                return Decision.GO_ON;
            }
            return progress == Progress.ADVANCED ? Decision.GO_ON_AFTER_CUT : Decision.WAIT;
        }
        if (failure instanceof SocketTimeoutException && isWatchOpened()) {
            // Some API servers send no bookmarks while nothing changes. If the server is dead, the next watch fails.
            return Decision.GO_ON;
        }
        if (isVersionUnusable(failure)) {
            return Decision.LIST_ANEW;
        }
        // Every failure of the first watch after a list counts, so that lists become less and less frequent.
        return resumed && isShort() && progress == Progress.ADVANCED ? Decision.WAIT_AFTER_CUT : Decision.WAIT;
    }

    /** Whether the API server has recovered from earlier failures. */
    boolean endsFailures() {
        return isWatchOpened() && !isShort() || resumed && failure instanceof ApiException api && api.isGone();
    }

    /** The error to report before the next attempt waits. */
    Exception problem() {
        return failure == null ? new IOException("watch ended immediately") : failure;
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
