package io.evenkeel.lab.kube;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.engine.Await;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks about pods in turn, and after each about the numbers of objects, at a steady rate. Collects the answers until it
 * is closed.
 */
final class SteadyAsker implements AutoCloseable {
    private static final long PAUSE_MILLIS = 50;

    private final PlacementClient client;
    private final List<Pod> pods;
    private final List<VersionedAnswer> answers = new ArrayList<>();
    private final Thread thread = new Thread(this::run, "asker");
    private volatile boolean closed;
    private @Nullable PlacementException failure;

    SteadyAsker(PlacementClient client, List<Pod> pods) {
        this.client = client;
        this.pods = pods;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        for (int i = 0; !closed; i++) {
            try {
                keep(VersionedAnswer.ask(client, pods.get(i % pods.size()), Freshness.getDefaultInstance()));
                keep(VersionedAnswer.numbers(client));
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (PlacementException e) {
                fail(e);
                return;
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private synchronized void keep(VersionedAnswer answer) {
        answers.add(answer);
    }

    private synchronized void fail(PlacementException e) {
        failure = e;
    }

    /**
     * All answers so far, in order.
     *
     * @throws IllegalStateException if a query failed
     */
    synchronized List<VersionedAnswer> answers() {
        if (failure != null) {
            throw new IllegalStateException("a query failed", failure);
        }
        return List.copyOf(answers);
    }

    /**
     * Waits for the first answer.
     *
     * @throws IllegalStateException if it fails
     */
    void awaitAnswer() throws InterruptedException {
        Await.until(() -> !answers().isEmpty());
    }

    @Override
    public void close() {
        closed = true;
    }
}
