package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.v1.Revision;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One {@code EvaluateStream}. A request that is refused as a whole is answered like any other, and the stream goes on.
 */
final class EvaluateStreamCall implements OrderedStream.Service<PodQuery, ResponseBytes> {
    private final PlacementHandler handler;
    private final WorkerPool pool;
    private volatile @Nullable CompletableFuture<Void> awaited;

    EvaluateStreamCall(PlacementHandler handler, WorkerPool pool) {
        this.handler = handler;
        this.pool = pool;
    }

    @Override
    public void take(PodQuery query, OrderedStream<PodQuery, ResponseBytes> stream) {
        Revision atLeast = query.atLeast();
        if (handler.isReached(atLeast)) {
            begin(query, stream);
            return;
        }
        CompletableFuture<Void> reached = handler.reach(atLeast, UnaryCalls.patience());
        awaited = reached;
        if (stream.isOver()) {
            reached.cancel(false);
        }
        CompletableFuture<Void> unused = reached.whenComplete((done, error) -> {
            if (error == null) {
                // Not here: this is the thread that wrote.
                pool.later(() -> begin(query, stream), refusal -> fail(query, refusal, stream));
            } else {
                fail(query, error, stream);
            }
        });
    }

    private void begin(PodQuery query, OrderedStream<PodQuery, ResponseBytes> stream) {
        try {
            Prepared<ResponseBytes> prepared = handler.prepare(query);
            if (prepared.isShort()) {
                answer(query, prepared.answer(), stream);
            } else {
                pool.execute(() -> finish(query, prepared, stream), refusal -> fail(query, refusal, stream));
            }
        } catch (RuntimeException e) {
            fail(query, e, stream);
        }
    }

    private static void answer(PodQuery query, ResponseBytes answer, OrderedStream<PodQuery, ResponseBytes> stream) {
        String refusal = stream.refusalOf(answer.size());
        if (refusal == null) {
            stream.answer(answer);
        } else {
            answer.release();
            stream.answer(PlacementHandler.refusal(query, RequestException.tooBusy(refusal)));
        }
    }

    /** A request that is refused is answered so; anything else ends the stream. */
    private static void fail(PodQuery query, Throwable error, OrderedStream<PodQuery, ResponseBytes> stream) {
        if (error instanceof RequestException refused) {
            stream.answer(PlacementHandler.refusal(query, refused));
        } else {
            stream.fail(error);
        }
    }

    private static void finish(
            PodQuery query, Prepared<ResponseBytes> prepared, OrderedStream<PodQuery, ResponseBytes> stream) {
        if (stream.isOver()) {
            return;
        }
        try {
            answer(query, prepared.answer(stream::isOver), stream);
        } catch (CancellationException e) {
            // Nobody listens any more.
        } catch (RuntimeException e) {
            fail(query, e, stream);
        }
    }

    @Override
    public void ended() {
        CompletableFuture<Void> reached = awaited;
        if (reached != null) {
            reached.cancel(false);
        }
    }
}
