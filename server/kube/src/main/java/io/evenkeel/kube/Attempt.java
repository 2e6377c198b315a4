package io.evenkeel.kube;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to list or watch a kind: since when it lasts, how far it has got, and whether it must end.
 *
 * <p>Its time and progress are written by the thread of the feed and, while that waits for the answer, by the client's.
 * Any thread may give it up.
 */
final class Attempt {
    private final boolean resumes;
    private final CompletableFuture<Void> givenUp = new CompletableFuture<>();
    private volatile Instant began;
    private volatile AttemptOutcome.Progress progress = AttemptOutcome.Progress.NOTHING;

    /** @param resumes whether it opens a watch, and not the first one after a list in pages */
    Attempt(Instant began, boolean resumes) {
        this.began = began;
        this.resumes = resumes;
    }

    /** Whether it opens a watch, and not the first one after a list in pages. */
    boolean resumes() {
        return resumes;
    }

    /** A list in pages is complete. */
    void listed() {
        progress = AttemptOutcome.Progress.LISTED;
    }

    /** Whether a list in pages is complete, and the next attempt opens its watch. */
    boolean isListed() {
        return progress == AttemptOutcome.Progress.LISTED;
    }

    /** A streaming list is complete, and its watch begins: the attempt lasts since then. */
    void listStreamed(Instant now) {
        began = now;
        progress = AttemptOutcome.Progress.ADVANCED;
    }

    /** A watch opens. */
    void opened() {
        progress = AttemptOutcome.Progress.WATCHING;
    }

    /** Whether a watch is open, and has brought nothing. */
    boolean isOnlyOpen() {
        return progress == AttemptOutcome.Progress.WATCHING;
    }

    /** The watch has brought an event or a bookmark. */
    void advanced() {
        progress = AttemptOutcome.Progress.ADVANCED;
    }

    /** The connection must end; the attempt fails for this reason. Has no effect on one that has ended. */
    void giveUp(RuntimeException why) {
        givenUp.completeExceptionally(why);
    }

    /** Completed with an error where the connection must end. */
    CompletableFuture<?> givenUp() {
        return givenUp;
    }

    /** @param failure null where the API server ended the answer as it may */
    AttemptOutcome outcome(@Nullable Exception failure, Instant now) {
        return new AttemptOutcome(resumes, progress, Duration.between(began, now), failure);
    }
}
