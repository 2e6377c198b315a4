package io.evenkeel.kube;

import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.ConfigurationException;
import io.evenkeel.kube.client.MalformedAnswerException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Decides whether to request a page of a list again after a failure, and waits before that, so that a long list
 * completes although some requests fail. The wait grows with each consecutive failure. It is at least what the API
 * server asks for, up to the longest wait. Not thread-safe.
 */
final class PageRetry {
    /** After more consecutive failures the server counts as down, and the list starts over. */
    private static final int MAX_CONSECUTIVE = 5;

    private final FeedTiming timing;
    private final BackOff backOff;
    private final Consumer<IOException> waiting;
    private int failures;

    /** @param waiting receives each failure after which it waits */
    PageRetry(FeedTiming timing, Consumer<IOException> waiting) {
        this.timing = timing;
        this.backOff = timing.backOff();
        this.waiting = waiting;
    }

    /** Resets the failures after a page has arrived. */
    void pageCame() {
        failures = 0;
        backOff.reset();
    }

    /**
     * Waits until it is time to request the page again.
     *
     * @param givenUp ends the wait when it completes
     * @throws IOException the failure, if the page must not be requested again
     */
    void waitAfter(IOException failure, CompletableFuture<?> givenUp) throws IOException, InterruptedException {
        failures++;
        if (failures > MAX_CONSECUTIVE || !isPassing(failure)) {
            throw failure;
        }
        Duration asked = FailureText.retryAfter(failure);
        Duration least = asked.compareTo(timing.longestWait()) > 0 ? timing.longestWait() : asked;
        Duration wait = backOff.next(least);
        waiting.accept(failure);
        timing.pause().last(wait, givenUp);
    }

    private static boolean isPassing(IOException failure) {
        return failure instanceof ApiException api
                ? api.isPassing()
                : !(failure instanceof MalformedAnswerException || failure instanceof ConfigurationException);
    }
}
