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
 * Asks a server over one connection, as a scheduler and others would, with several calls under way. Closing it ends its
 * stream in good order. For one thread.
 */
final class WarmUpCaller implements AutoCloseable {
    /** So many turns are a round, which makes every kind of call. */
    static final int CALLS = 10;

    /** From this turn of a round on, Evaluate is called. */
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
     * The caller of this closes both.
     *
     * @param feeder of the same server; some turns are its changes
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
     * Makes the call of a turn once there is room for it.
     *
     * @param alone whether no other call may be under way
     * @throws IllegalStateException where a call before has failed, or there was no room before long
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
     * @throws IllegalStateException where one has failed, or is not answered before long
     */
    void awaitAnswers() throws InterruptedException {
        await(UNDER_WAY);
        free.release(UNDER_WAY);
    }

    private void await(int room) throws InterruptedException {
        boolean came = free.tryAcquire(room, LATE_SECONDS, TimeUnit.SECONDS);
        Throwable failed = failure;
        if (failed != null || !came) {
            throw new IllegalStateException(came ? "a call has failed" : "a call is not answered", failed);
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
            // What was told the last time, which is answered mostly.
            case 5 -> calls.forget(UsualCalls.forget(question - 2));
            default -> calls.evaluate(UsualCalls.evaluate(question));
        };
    }

    /**
     * What is asked in a turn: each kind of call comes to each question. The last turns ask the same, again and again:
     * while nothing changes, the server does not compute its answer again.
     */
    static int question(int turn) {
        return turn / CALLS + Math.min(turn % CALLS, EVALUATE);
    }

    @Override
    public void close() {
        stream.close();
    }
}
