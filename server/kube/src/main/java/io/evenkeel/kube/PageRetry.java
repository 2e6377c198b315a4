package io.evenkeel.kube;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Says whether a further page of a list is asked for again after a failure, and waits before that, so that a long list
 * comes to its end though some requests fail. The wait grows with each failure in a row, and is no shorter than what
 * the API server asks for, up to the longest wait. Not safe for use by several threads.
 */
final class PageRetry {
    /** More failures in a row are those of a server that is down, and the list begins anew. */
    private static final int MOST_IN_A_ROW = 5;

    private final FeedTiming timing;
    private final BackOff backOff;
    private final Consumer<IOException> waiting;
    private int failures;

    /** @param waiting told of each failure after which it waits */
    PageRetry(FeedTiming timing, Consumer<IOException> waiting) {
        this.timing = timing;
        this.backOff = timing.backOff();
        this.waiting = waiting;
    }

    /** A page has come: the next failure is the first one. */
    void pageCame() {
        failures = 0;
        backOff.reset();
    }

    /**
     * Returns when the page must be asked for again.
     *
     * @param givenUp ends the wait where it completes
     * @throws IOException the failure, where the page must not be asked for again
     */
    void waitAfter(IOException failure, CompletableFuture<?> givenUp) throws IOException, InterruptedException {
        failures++;
        if (failures > MOST_IN_A_ROW || !isPassing(failure)) {
            throw failure;
        }
        Duration asked = Problems.retryAfter(failure);
        Duration least = asked.compareTo(timing.longestWait()) > 0 ? timing.longestWait() : asked;
        Duration wait = backOff.next(least);
        waiting.accept(failure);
        timing.pause().last(wait, givenUp);
    }

    private static boolean isPassing(IOException failure) {
        return failure instanceof ApiException api ? api.isPassing() : !(failure instanceof MalformedAnswerException);
    }
}
