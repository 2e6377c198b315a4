package io.evenkeel.kube;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to list or watch a kind: when it began, how far it got, and whether it must end.
 *
 * <p>The feed thread writes its time and progress; while that thread waits for the response, the client's thread does.
 * Any thread may give it up.
 */
final class Attempt {
    private final boolean resumes;
    private final CompletableFuture<Void> givenUp = new CompletableFuture<>();
    private volatile Instant began;
    private volatile AttemptOutcome.Progress progress = AttemptOutcome.Progress.NOTHING;

    /** @param resumes whether it opens a watch other than the first one after a paged list */
    Attempt(Instant began, boolean resumes) {
        this.began = began;
        this.resumes = resumes;
    }

    /** Whether it opens a watch other than the first one after a paged list. */
    boolean resumes() {
        return resumes;
    }

    /** A paged list is complete. */
    void listed() {
        progress = AttemptOutcome.Progress.LISTED;
    }

    /** Whether a paged list is complete, so that the next attempt opens its watch. */
    boolean isListed() {
        return progress == AttemptOutcome.Progress.LISTED;
    }

    /** A streaming list is complete and its watch begins. The attempt's duration counts from here. */
    void listStreamed(Instant now) {
        began = now;
        progress = AttemptOutcome.Progress.ADVANCED;
    }

    /** A watch opens. */
    void opened() {
        progress = AttemptOutcome.Progress.WATCHING;
    }

    /** Whether a watch is open and has not delivered anything. */
    boolean isOnlyOpen() {
        return progress == AttemptOutcome.Progress.WATCHING;
    }

    /** The watch delivered an event or a bookmark. */
    void advanced() {
        progress = AttemptOutcome.Progress.ADVANCED;
    }

    /** Closes the connection and fails the attempt with this error. Does nothing if the attempt has ended. */
    void giveUp(RuntimeException why) {
        givenUp.completeExceptionally(why);
    }

    /** Completes exceptionally when the connection must be closed. */
    CompletableFuture<?> givenUp() {
        return givenUp;
    }

    /** @param failure null if the API server ended the response normally */
    AttemptOutcome outcome(@Nullable Exception failure, Instant now) {
        return new AttemptOutcome(resumes, progress, Duration.between(began, now), failure);
    }
}
