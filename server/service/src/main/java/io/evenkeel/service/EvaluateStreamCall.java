package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.AnsweredRefusals;
import io.evenkeel.placement.call.Recipient;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TaskPool;
import io.evenkeel.placement.query.StreamQuery;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of one {@code EvaluateStream} call. A request that is refused as a whole, or whose time is over,
 * gets an answer with the error, and the stream goes on.
 */
final class EvaluateStreamCall implements OrderedStream.Service<StreamQuery, ResponseBytes> {
    private final PlacementHandler handler;
    private final TaskPool pool;

    /** Null for calls that no tracer sees. */
    private final @Nullable OpenCall open = OpenCall.current();

    EvaluateStreamCall(PlacementHandler handler, TaskPool pool) {
        this.handler = handler;
        this.pool = pool;
    }

    @Override
    public void handle(StreamQuery query, Recipient<ResponseBytes> recipient) {
        handler.runner()
                .run(
                        pool,
                        query.limit(),
                        query.query().freshness(),
                        CallDeadline::patience,
                        () -> handler.prepare(query),
                        new Message(query, recipient));
    }

    @Override
    public void completed(Runnable end) {
        end.run();
    }

    @Override
    public void failed(Throwable why) {}

    /** The recipient of one answer. An answer without room is replaced by a refusal. */
    private final class Message extends AnsweredRefusals<ResponseBytes> {
        Message(StreamQuery query, Recipient<ResponseBytes> recipient) {
            super(recipient, refused -> PlacementHandler.refusal(query, refused), query.limit());
        }

        @Override
        public void answered(ResponseBytes answer) {
            String refusal = open == null ? null : open.refusalOfAnswer(answer.size());
            if (refusal == null) {
                super.answered(answer);
            } else {
                answer.release();
                failed(RequestException.tooBusy(refusal));
            }
        }
    }
}
