package io.evenkeel.warmup;

import io.evenkeel.client.AsyncPlacement;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.EvaluationStream;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.Revision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Feeds and asks a server over one connection, as a feeder, a scheduler and others would, with several calls under way.
 * Closing it ends its streams in good order, and then the connection. For one thread.
 */
final class Caller implements AutoCloseable {
    /** Each of these many turns is another call. */
    private static final int CALLS = 8;

    private static final int UNDER_WAY = 8;
    private static final long LATE_SECONDS = 1;

    private final AsyncPlacement calls;
    private final ClusterFeed feed;
    private final EvaluationStream stream;
    private final Semaphore free = new Semaphore(UNDER_WAY);
    private final Revision reached;
    private final String nodeTable;
    private volatile @Nullable Throwable failure;

    /**
     * The caller of this closes the client.
     *
     * @param isFirst whether the server has no cluster yet, and is fed it now
     */
    Caller(PlacementClient client, boolean isFirst) {
        calls = client.async();
        feed = client.feed();
        if (isFirst) {
            feed.beginSnapshot().join();
            feed.objects(SmallCluster.objects()).join();
            feed.endSnapshot(SmallCluster.versions()).join();
        }
        stream = client.evaluationStream();
        GetStatusResponse status = client.status();
        reached = status.getRevision();
        nodeTable = status.getNodeTableToken();
    }

    /**
     * Makes the call of a turn once there is room for it.
     *
     * @param alone whether no other call may be under way
     * @return whether there was room before long
     * @throws IllegalStateException where a call before has failed
     */
    boolean call(int turn, boolean alone) throws InterruptedException {
        int room = alone ? UNDER_WAY : 1;
        if (!free.tryAcquire(room, LATE_SECONDS, TimeUnit.SECONDS)) {
            return false;
        }
        free.release(room - 1);
        Throwable before = failure;
        if (before != null) {
            throw new IllegalStateException("a call has failed", before);
        }
        CompletableFuture<?> unused = begin(turn).whenComplete((answer, failed) -> {
            if (failed != null) {
                failure = failed;
            }
            free.release();
        });
        return true;
    }

    private CompletableFuture<?> begin(int turn) {
        // Each call comes with each question in time.
        int question = turn + turn / CALLS;
        return switch (turn % CALLS) {
            case 0 -> feed.events(List.of(SmallCluster.change(turn / CALLS)));
            case 1 -> stream.evaluate(UsualCalls.evaluate(question));
            case 2 -> calls.filter(UsualCalls.filter(question, reached, nodeTable));
            case 3 -> calls.score(UsualCalls.score(question, reached, nodeTable));
            case 4 -> calls.assume(UsualCalls.assume(question));
            case 5 -> calls.forget(UsualCalls.forget(question - 1));
            default -> calls.evaluate(UsualCalls.evaluate(question));
        };
    }

    @Override
    public void close() {
        stream.close();
        feed.close();
    }
}
