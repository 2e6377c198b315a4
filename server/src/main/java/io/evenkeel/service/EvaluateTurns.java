package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.Prepared;
import io.evenkeel.placement.RequestException;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Revision;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One {@code EvaluateStream}. A request that is refused as a whole is answered like any other, and the stream goes on. */
final class EvaluateTurns implements OrderedStream.Service<EvaluateRequest, EvaluateResponse> {
    private final PlacementHandler handler;
    private final Workers workers;
    private volatile @Nullable CompletableFuture<Void> awaited;

    EvaluateTurns(PlacementHandler handler, Workers workers) {
        this.handler = handler;
        this.workers = workers;
    }

    @Override
    public void take(EvaluateRequest request, OrderedStream<EvaluateRequest, EvaluateResponse> stream) {
        Revision atLeast = request.getOptions().getAtLeast();
        if (handler.isReached(atLeast)) {
            begin(request, stream);
            return;
        }
        CompletableFuture<Void> reached = handler.reach(atLeast, UnaryCalls.patience());
        awaited = reached;
        if (stream.isOver()) {
            reached.cancel(false);
        }
        CompletableFuture<Void> unused = reached.whenComplete((done, error) -> {
            if (error instanceof RequestException refused) {
                stream.answer(PlacementHandler.refusal(request, refused));
            } else if (error != null) {
                stream.fail(error);
            } else {
                workers.execute(() -> begin(request, stream), stream::fail);
            }
        });
    }

    private void begin(EvaluateRequest request, OrderedStream<EvaluateRequest, EvaluateResponse> stream) {
        try {
            Prepared<EvaluateResponse> prepared = handler.prepare(request);
            if (prepared.isShort()) {
                stream.answer(prepared.answer());
            } else {
                workers.execute(() -> finish(request, prepared, stream), stream::fail);
            }
        } catch (RequestException e) {
            stream.answer(PlacementHandler.refusal(request, e));
        } catch (RuntimeException e) {
            stream.fail(e);
        }
    }

    private static void finish(
            EvaluateRequest request,
            Prepared<EvaluateResponse> prepared,
            OrderedStream<EvaluateRequest, EvaluateResponse> stream) {
        if (stream.isOver()) {
            return;
        }
        try {
            stream.answer(prepared.answer());
        } catch (RequestException e) {
            stream.answer(PlacementHandler.refusal(request, e));
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
