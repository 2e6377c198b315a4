package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The future of a unary call. The answer is recorded before dependent stages run, so that these can query a write
 * immediately.
 */
final class CallFuture<A extends MessageLite> extends CompletableFuture<A> implements Transport.Answers<A> {
    private final Consumer<? super A> noted;
    private volatile @Nullable Runnable cancellation;

    /** @param noted receives the answer before dependent stages run */
    CallFuture(Consumer<? super A> noted) {
        this.noted = noted;
    }

    void cancelledBy(Runnable cancellation) {
        this.cancellation = cancellation;
    }

    @Override
    public void answered(A answer) {
        noted.accept(answer);
        complete(answer);
    }

    @Override
    public void ended(@Nullable PlacementException failure) {
        // No effect if the answer has arrived.
        completeExceptionally(
                failure == null
                        ? new PlacementException(ErrorCode.INTERNAL, "the call ended without an answer")
                        : failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        Runnable known = cancellation;
        if (cancelled && known != null) {
            known.run();
        }
        return cancelled;
    }
}
