package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.PodQuery;
import io.evenkeel.placement.Prepared;
import io.evenkeel.placement.RequestException;
import io.evenkeel.placement.ResponseBytes;
import io.evenkeel.v1.Revision;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One {@code EvaluateStream}. A request that is refused as a whole is answered like any other, and the stream goes on. */
final class EvaluateTurns implements OrderedStream.Service<PodQuery, ResponseBytes> {
    private final PlacementHandler handler;
    private final Workers workers;
    private volatile @Nullable CompletableFuture<Void> awaited;

    EvaluateTurns(PlacementHandler handler, Workers workers) {
        this.handler = handler;
        this.workers = workers;
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
            if (error instanceof RequestException refused) {
                stream.answer(PlacementHandler.refusal(query, refused));
            } else if (error != null) {
                stream.fail(error);
            } else {
                workers.execute(() -> begin(query, stream), stream::fail);
            }
        });
    }

    private void begin(PodQuery query, OrderedStream<PodQuery, ResponseBytes> stream) {
        try {
            Prepared<ResponseBytes> prepared = handler.prepare(query);
            if (prepared.isShort()) {
                stream.answer(prepared.answer());
            } else {
                workers.execute(() -> finish(query, prepared, stream), stream::fail);
            }
        } catch (RequestException e) {
            stream.answer(PlacementHandler.refusal(query, e));
        } catch (RuntimeException e) {
            stream.fail(e);
        }
    }

    private static void finish(
            PodQuery query, Prepared<ResponseBytes> prepared, OrderedStream<PodQuery, ResponseBytes> stream) {
        if (stream.isOver()) {
            return;
        }
        try {
            stream.answer(prepared.answer());
        } catch (RequestException e) {
            stream.answer(PlacementHandler.refusal(query, e));
        } catch (RuntimeException e) {
            stream.fail(e);
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
