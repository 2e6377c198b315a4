package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.AnsweredRefusals;
import io.evenkeel.placement.call.Recipient;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TimeLimit;
import io.evenkeel.placement.query.StreamQuery;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of one {@code EvaluateStream} call. A request that is rejected as a whole or times out is
 * answered with the error, and the stream continues.
 */
final class EvaluateStreamCall implements OrderedStream.Service<StreamQuery, ResponseBytes> {
    private final PlacementHandler handler;
    private final WorkerPools pools;

    /** Null for calls without a stream tracer. */
    private final @Nullable OpenCall open = OpenCall.current();

    EvaluateStreamCall(PlacementHandler handler, WorkerPools pools) {
        this.handler = handler;
        this.pools = pools;
    }

    @Override
    public void handle(StreamQuery query, Recipient<ResponseBytes> recipient) {
        handler.runner()
                .run(
                        pools.queries(),
                        pools::answering,
                        query.limit(),
                        CallDeadline::patience,
                        handler.request(query),
                        new Message(query.tag(), query.limit(), recipient));
    }

    @Override
    public void ended(@Nullable Throwable failure, Runnable end) {
        end.run();
    }

    /** The recipient of one answer. If there is no room for the answer, it sends an error instead. */
    private final class Message extends AnsweredRefusals<ResponseBytes> {
        /** Does not refer to the query, which must not be retained while it waits. */
        Message(long tag, TimeLimit limit, Recipient<ResponseBytes> recipient) {
            super(recipient, refused -> PlacementHandler.refusalBytes(tag, refused), limit);
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
