package io.evenkeel.service;

import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.change.SyncStep;
import io.evenkeel.v1.SyncResponse;

/** One {@code Sync} stream. A message that is refused as a whole ends it. */
final class SyncStreamCall implements OrderedStream.Service<SyncStep, SyncResponse> {
    private final SyncSession session;
    private final WorkerPool feeds;

    SyncStreamCall(SyncSession session, WorkerPool feeds) {
        this.session = session;
        this.feeds = feeds;
    }

    @Override
    public void take(SyncStep request, OrderedStream<SyncStep, SyncResponse> stream) {
        if (isShort(request)) {
            handle(request, stream);
        } else {
            feeds.execute(() -> handle(request, stream), stream::fail);
        }
    }

    private static boolean isShort(SyncStep request) {
        return switch (request.step()) {
            case OBJECTS, EVENTS -> request.changes().count() <= ClusterStateService.FEW_CHANGES;
            // Looks at every pod.
            case END_SNAPSHOT -> false;
            case BEGIN_SNAPSHOT, STEP_NOT_SET -> true;
        };
    }

    private void handle(SyncStep request, OrderedStream<SyncStep, SyncResponse> stream) {
        try {
            stream.answer(session.handle(request));
        } catch (RuntimeException e) {
            stream.fail(e);
        }
    }

    @Override
    public void ended() {
        // It waits for the message under way.
        feeds.later(session::close, failure -> session.close());
    }
}
