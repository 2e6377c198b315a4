package io.evenkeel.warmup;

import io.evenkeel.client.AsyncPlacement;
import io.evenkeel.client.EvaluationStream;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.Revision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Calls a server over one connection, like a scheduler and other clients, with several calls in progress. Closing it
 * completes its stream. Not thread-safe.
 */
final class WarmUpCaller implements AutoCloseable {
    /** The number of turns in a round. A round makes every kind of call. */
    static final int CALLS = 10;

    /** The first turn of a round that calls Evaluate. */
    private static final int EVALUATE = 6;

    private static final int UNDER_WAY = 8;
    private static final long LATE_SECONDS = 1;

    private final AsyncPlacement calls;
    private final EvaluationStream stream;
    private final WarmUpFeeder feeder;
    private final Semaphore free = new Semaphore(UNDER_WAY);
    private final Revision reached;
    private final String nodeTable;
    private volatile @Nullable Throwable failure;

    /**
     * The caller must close both.
     *
     * @param feeder a feeder of the same server; in some turns it sends changes
     */
    WarmUpCaller(PlacementClient client, WarmUpFeeder feeder) {
        this.feeder = feeder;
        calls = client.async();
        GetStatusResponse status = client.status();
        reached = status.getRevision();
        nodeTable = status.getNodeTableToken();
        stream = client.evaluationStream();
    }

    /**
     * Makes the call of a turn, as soon as the number of calls in progress allows it.
     *
     * @param alone whether no other call may be in progress
     * @throws IllegalStateException if an earlier call failed, or the wait timed out
     */
    void call(int turn, boolean alone) throws InterruptedException {
        int room = alone ? UNDER_WAY : 1;
        await(room);
        free.release(room - 1);
        CompletableFuture<?> unused = begin(turn).whenComplete((answer, failed) -> {
            if (failed != null) {
                failure = failed;
            }
            free.release();
        });
    }

    /**
     * Waits until every call is answered.
     *
     * @throws IllegalStateException if one has failed or timed out
     */
    void awaitAnswers() throws InterruptedException {
        await(UNDER_WAY);
        free.release(UNDER_WAY);
    }

    private void await(int room) throws InterruptedException {
        boolean came = free.tryAcquire(room, LATE_SECONDS, TimeUnit.SECONDS);
        Throwable failed = failure;
        if (failed != null || !came) {
            throw new IllegalStateException(came ? "a call failed" : "a call timed out", failed);
        }
    }

    private CompletableFuture<?> begin(int turn) {
        int question = question(turn);
        return switch (turn % CALLS) {
            case 0 -> feeder.change();
            case 1 -> stream.evaluate(UsualCalls.evaluate(question));
            case 2 -> calls.filter(UsualCalls.filter(question, reached, nodeTable));
            case 3 -> calls.score(UsualCalls.score(question, reached, nodeTable));
            case 4 -> calls.assume(UsualCalls.assume(question));
            // The previous assumption, which has been answered in most cases.
            case 5 -> calls.forget(UsualCalls.forget(question - 2));
            default -> calls.evaluate(UsualCalls.evaluate(question));
        };
    }

    /**
     * The number of the question for a turn. Over time, each kind of call asks each question. The last turns of a round
     * repeat one question: while nothing changes, the server reuses its answer.
     */
    static int question(int turn) {
        return turn / CALLS + Math.min(turn % CALLS, EVALUATE);
    }

    @Override
    public void close() {
        stream.close();
    }
}
