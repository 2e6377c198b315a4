package io.evenkeel.service;

import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SerialQueue.MessageHandler;
import io.evenkeel.placement.change.SyncSession;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the messages of a call that feeds the cluster, and closes its session at the end. A step that is rejected
 * as a whole ends the stream.
 */
final class FeedStreamCall<Q, A> implements OrderedStream.Service<Q, A> {
    private final SyncSession session;
    private final WorkerPool pool;
    private final MessageHandler<Q, A> handler;

    /**
     * @param pool closes the session
     * @param handler handles the messages
     */
    FeedStreamCall(SyncSession session, WorkerPool pool, MessageHandler<Q, A> handler) {
        this.session = session;
        this.pool = pool;
        this.handler = handler;
    }

    @Override
    public void handle(Q message, Call<A> call) {
        handler.handle(message, call);
    }

    @Override
    public void ended(@Nullable Throwable failure, Runnable end) {
        String reason = failure == null ? "completed by its feeder" : reason(failure);
        Runnable close = () -> {
            try {
                session.close(reason);
            } finally {
                end.run();
            }
        };
        // It takes the engine's lock.
        pool.later(close, refused -> close.run());
    }

    private static String reason(Throwable why) {
        if (why instanceof RequestException refused) {
            return "rejected: " + refused.getMessage();
        }
        return Status.fromThrowable(why).getCode() == Status.Code.CANCELLED
                ? "cancelled by its feeder, or the connection was lost"
                : "failed: " + why.getMessage();
    }
}
