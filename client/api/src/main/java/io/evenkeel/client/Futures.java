package io.evenkeel.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for a future on behalf of a blocking call. */
final class Futures {
    private Futures() {}

    /** The value of the future. Throws its failure as {@link PlacementException}. */
    static <A> A await(CompletableFuture<A> future) {
        try {
            return future.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PlacementException(ErrorCode.CANCELLED, "interrupted while waiting for the answer", interrupted);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            throw PlacementException.of(cause == null ? failed : cause).asSeenByCaller();
        }
    }
}
