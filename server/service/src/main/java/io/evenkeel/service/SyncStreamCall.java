package io.evenkeel.service;

import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.change.SyncStep;
import io.evenkeel.v1.SyncResponse;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** Handles the messages of one {@code Sync} call. A message that is rejected as a whole ends the stream. */
final class SyncStreamCall implements OrderedStream.Service<SyncStep, SyncResponse> {
    private final SyncSession session;
    private final WorkerPool pool;

    /** @param pool closes the session */
    SyncStreamCall(SyncSession session, WorkerPool pool) {
        this.session = session;
        this.pool = pool;
    }

    @Override
    public void handle(SyncStep request, Call<SyncResponse> call) {
        call.answerWith(isShort(request), () -> session.handle(request));
    }

    private static boolean isShort(SyncStep request) {
        return switch (request.step()) {
            case OBJECTS, EVENTS -> request.changes().count() <= ClusterStateService.FEW_CHANGES;
            // The end of a snapshot reads every pod.
            case END_SNAPSHOT -> false;
            case BEGIN_SNAPSHOT, STEP_NOT_SET -> true;
        };
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
