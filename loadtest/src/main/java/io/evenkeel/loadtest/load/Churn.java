package io.evenkeel.loadtest.load;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.SyncResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends pod events at a steady rate through Sync, a few every {@value #MILLIS_BETWEEN} ms, as a watch would. Late
 * events are sent in larger messages. When it is closed or the JVM shuts down, it removes the pods that it added,
 * unless the feed failed.
 */
public final class Churn implements AutoCloseable {
    private static final int MILLIS_BETWEEN = 2;
    private static final int MAX_EVENTS = 1_000;

    /**
     * How long to wait for the server when the JVM shuts down. An unresponsive server must not prevent the shutdown.
     */
    private static final long MAX_SHUTDOWN_MILLIS = 5_000;

    private final ClusterFeed feed;
    private final ChurnPods pods;
    private final double nanosBetween;
    private final Thread thread = new Thread(this::send, "evenkeel-churn");
    private final Thread atShutdown = new Thread(this::endAtShutdown, "evenkeel-churn-shutdown");
    /** Held by the thread that removes the pods. During a shutdown, two threads may try to. */
    private final Object ending = new Object();

    private volatile boolean stopped;
    private long sent;
    private long applied;
    private @Nullable Fault fault;

    private Churn(ClusterFeed feed, ChurnPods pods, double rate) {
        this.feed = feed;
        this.pods = pods;
        nanosBetween = TimeUnit.SECONDS.toNanos(1) / rate;
    }

    /**
     * Starts sending events.
     *
     * @param feed a feed to a server that has a cluster; the caller closes it, after this
     * @param rate events per second
     */
    public static Churn start(ClusterFeed feed, ChurnPods pods, double rate) {
        Churn churn = new Churn(feed, pods, rate);
        Runtime.getRuntime().addShutdownHook(churn.atShutdown);
        churn.thread.setDaemon(true);
        churn.thread.start();
        return churn;
    }

    /** The number of events sent so far. */
    public synchronized long sent() {
        return sent;
    }

    /** The number of events that have changed the state so far, according to the server's acknowledgements. */
    public synchronized long applied() {
        return applied;
    }

    /** Why sending stopped, or why events were rejected. Null if there was no failure. */
    public synchronized @Nullable Fault fault() {
        return fault;
    }

    /** The events of the last {@code seconds}, for a report. */
    synchronized LoadReport.ChurnReport report(double seconds) {
        return new LoadReport.ChurnReport(sent, applied, sent / seconds, fault == null ? null : fault.message());
    }

    private void send() {
        long start = System.nanoTime();
        long handedOut = 0;
        try {
            while (!stopped && fault() == null) {
                Clock.SYSTEM.sleepUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS_BETWEEN));
                long due = (long) ((System.nanoTime() - start) / nanosBetween);
                while (handedOut < due && !stopped) {
                    int events = (int) Math.min(MAX_EVENTS, due - handedOut);
                    List<ClusterEvent> message = new ArrayList<>(events);
                    for (int i = 0; i < events; i++) {
                        message.add(pods.next());
                    }
                    send(message);
                    handedOut += events;
                }
            }
        } catch (PlacementException | CompletionException broken) {
            failed(new Fault("churn", String.valueOf(broken.getMessage())));
        }
    }

    private void send(List<ClusterEvent> message) {
        synchronized (this) {
            sent += message.size();
        }
        var unused = feed.events(message).whenComplete((answer, error) -> {
            if (error != null) {
                failed(new Fault("churn", String.valueOf(error.getMessage())));
            } else {
                acknowledged(answer);
            }
        });
    }

    private synchronized void acknowledged(SyncResponse answer) {
        applied += answer.getAppliedCount();
        lookForRefusals(answer);
    }

    private synchronized void lookForRefusals(SyncResponse answer) {
        if (answer.getRefusalsCount() > 0 && fault == null) {
            fault = new Fault("churn", answer.getRefusals(0).getError().getMessage());
        }
    }

    private synchronized void failed(Fault problem) {
        if (fault == null) {
            fault = problem;
        }
    }

    /**
     * Stops sending, and removes the pods that were added, even if some events were rejected. Removes nothing if the
     * feed failed.
     */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(atShutdown);
        } catch (IllegalStateException shuttingDown) {
            // The JVM is already shutting down, and the shutdown hook does the same.
        }
        end();
    }

    private void endAtShutdown() {
        Thread helper = new Thread(this::end, "evenkeel-churn-end");
        helper.setDaemon(true);
        helper.start();
        try {
            helper.join(MAX_SHUTDOWN_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void end() {
        stopped = true;
        synchronized (ending) {
            try {
                thread.join();
                List<ClusterEvent> removals = pods.removals();
                for (int from = 0; from < removals.size(); from += MAX_EVENTS) {
                    lookForRefusals(feed.events(removals.subList(from, Math.min(removals.size(), from + MAX_EVENTS)))
                            .join());
                }
            } catch (CompletionException | PlacementException broken) {
                failed(new Fault("churn", String.valueOf(broken.getMessage())));
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
