package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.Recipient;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TaskPool;
import io.evenkeel.placement.query.PodQuery;

/**
 * One {@code EvaluateStream}. A request that is refused as a whole is answered like any other, and the stream goes on.
 */
final class EvaluateStreamCall implements OrderedStream.Service<PodQuery, ResponseBytes> {
    private final PlacementHandler handler;
    private final TaskPool pool;

    /** What the message under way wants done when the stream is over. */
    private volatile Runnable atEnd = () -> {};

    EvaluateStreamCall(PlacementHandler handler, TaskPool pool) {
        this.handler = handler;
        this.pool = pool;
    }

    @Override
    public void take(PodQuery query, OrderedStream<PodQuery, ResponseBytes> stream) {
        handler.runner()
                .run(
                        pool,
                        query.atLeast(),
                        CallDeadline::patience,
                        () -> handler.prepare(query),
                        new Message(query, stream));
    }

    @Override
    public void ended() {
        atEnd.run();
    }

    /** One message of the stream. */
    private final class Message implements Recipient<ResponseBytes> {
        private final PodQuery query;
        private final OrderedStream<PodQuery, ResponseBytes> stream;

        Message(PodQuery query, OrderedStream<PodQuery, ResponseBytes> stream) {
            this.query = query;
            this.stream = stream;
        }

        @Override
        public void answered(ResponseBytes answer) {
            String refusal = stream.refusalOf(answer.size());
            if (refusal == null) {
                stream.answer(answer);
            } else {
                answer.release();
                failed(RequestException.tooBusy(refusal));
            }
        }

        /** A request that is refused is answered so; anything else ends the stream. */
        @Override
        public void failed(Throwable why) {
            if (why instanceof RequestException refused) {
                stream.answer(PlacementHandler.refusal(query, refused));
            } else {
                stream.fail(why);
            }
        }

        @Override
        public boolean isOver() {
            return stream.isOver();
        }

        @Override
        public void whenOver(Runnable action) {
            atEnd = action;
            if (stream.isOver()) {
                action.run();
            }
        }
    }
}
