package io.evenkeel.loadtest.feed;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.loadtest.load.ScriptedPlacementServer;
import io.evenkeel.loadtest.load.ScriptedState;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.Status;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Sends two messages of two changes each to a scripted server. */
final class SyncFeedTest {
    private static final SyncMessage TWO_CHANGES =
            new SyncMessage(new EncodedRequest(SyncRequest.getDefaultInstance()), 2);

    private static void feed(ScriptedState state) throws IOException, InterruptedException {
        try (ScriptedPlacementServer server = ScriptedPlacementServer.of(state);
                SyncFeed feed = new SyncFeed(server.target())) {
            feed.send(TWO_CHANGES);
            feed.send(TWO_CHANGES);
            feed.await();
        }
    }

    private static SyncResponse applied(int objects) {
        return SyncResponse.newBuilder().setAppliedCount(objects).build();
    }

    @Test
    void await_returns_whenEverythingChangedSomething() {
        assertDoesNotThrow(() -> feed(new ScriptedState((request, answers) -> answers.onNext(applied(2)))));
    }

    @Test
    void await_fails_whenTheStreamEndsBeforeTheLastAcknowledgement() {
        AtomicInteger received = new AtomicInteger();
        ScriptedState state = new ScriptedState((request, answers) -> {
            if (received.incrementAndGet() == 1) {
                answers.onNext(applied(2));
            } else {
                answers.onError(Status.ABORTED.asRuntimeException());
            }
        });
        IOException problem = assertThrows(IOException.class, () -> feed(state));
        assertTrue(String.valueOf(problem.getMessage()).contains("ABORTED"), problem::toString);
    }

    @Test
    void await_fails_whenAnObjectWasRefused_thoughTheNextWereNot() {
        AtomicInteger received = new AtomicInteger();
        SyncResponse.Builder refusal = SyncResponse.newBuilder().setAppliedCount(1);
        refusal.addRefusals(Refusal.newBuilder().setObject("shop/web-1"))
                .getRefusalsBuilder(0)
                .getErrorBuilder()
                .setMessage("it is no pod");
        ScriptedState state = new ScriptedState(
                (request, answers) -> answers.onNext(received.incrementAndGet() == 1 ? refusal.build() : applied(2)));
        IOException problem = assertThrows(IOException.class, () -> feed(state));
        assertEquals("shop/web-1 was rejected: it is no pod", problem.getMessage());
    }

    @Test
    void await_fails_whenWhatWasSentChangedNothing() {
        AtomicInteger received = new AtomicInteger();
        ScriptedState state =
                new ScriptedState((request, answers) -> answers.onNext(applied(received.incrementAndGet())));
        IOException problem = assertThrows(IOException.class, () -> feed(state));
        assertEquals("all 4 objects that were sent must change something, 3 did", problem.getMessage());
    }
}
