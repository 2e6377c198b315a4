package io.evenkeel.client.embedded;

import io.evenkeel.placement.call.Recipient;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** Delivers the answer of a call to a future. Cancelling the future stops the wait for a revision and the work. */
final class FutureRecipient<A> implements Recipient<A> {
    private final CompletableFuture<A> future;
    private final Deadline deadline;

    FutureRecipient(CompletableFuture<A> future, Duration deadline) {
        this.future = future;
        this.deadline = new Deadline(deadline);
    }

    @Override
    public void answered(A answer) {
        future.complete(answer);
    }

    @Override
    public void failed(Throwable why) {
        // No effect if the future was cancelled.
        future.completeExceptionally(why instanceof CancellationException givenUp ? Deadline.passed(givenUp) : why);
    }

    @Override
    public boolean isOver() {
        return future.isDone() || deadline.hasPassed();
    }

    @Override
    public void whenOver(Runnable action) {
        Completion.of(future, (answer, failure) -> action.run());
    }
}
