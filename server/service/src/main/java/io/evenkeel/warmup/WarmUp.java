package io.evenkeel.warmup;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.operations.FeedLog;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.service.StopTimes;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Runs the code that handles feeds and calls before the first caller needs it, so that the JIT compiler compiles it. It
 * feeds and calls a separate server with a small cluster, over loopback and in separate threads. It shares nothing with
 * the real server, and ends when the real server has its cluster or the time is over. While the real server receives
 * its cluster, it makes fewer calls. Thread-safe.
 *
 * <p>Compiled code omits branches that were never taken. So the warm-up also opens and closes connections; otherwise
 * the end of the first real one would make the JVM discard the code that answers. For the same reason, and because it
 * takes processor time, the server is stopped only some time after the last call.
 */
public final class WarmUp {
    private static final System.Logger LOG = System.getLogger(WarmUp.class.getName());

    private static final int CALLS_A_CONNECTION = 50;

    /** The plan limit of its server. Every fourth question needs a new plan that is never used again. */
    private static final int PLANS = 256;

    /** The pause between two calls while the real server receives its cluster, which needs the processors more. */
    private static final long PAUSE_MILLIS = 1;

    private static final Duration STOP_WITHIN = Duration.ofMillis(200);

    /** How long the processors are left to the first callers after the last call. */
    private static final Duration REST = Duration.ofSeconds(10);

    private final long deadline;
    private final BooleanSupplier feeding;
    private final Duration rest;
    private final Thread thread = new Thread(this::run, "evenkeel-warm-up");
    private boolean rested;
    private volatile boolean ended;

    private WarmUp(Duration longest, BooleanSupplier feeding, Duration rest) {
        this.feeding = feeding;
        this.rest = rest;
        deadline = System.nanoTime() + longest.toNanos();
        thread.setDaemon(true);
    }

    /**
     * Starts a warm-up that takes at most {@code longest}.
     *
     * @param feeding whether the real server is receiving its cluster
     */
    public static WarmUp begin(Duration longest, BooleanSupplier feeding) {
        return begin(longest, feeding, REST);
    }

    /** @param rest how long its server stays after the last call */
    static WarmUp begin(Duration longest, BooleanSupplier feeding, Duration rest) {
        WarmUp begun = new WarmUp(longest, feeding, rest);
        begun.thread.start();
        return begun;
    }

    /**
     * Ends the warm-up soon after queries are answered. The server does not wait for it: it is ready when it has its
     * cluster.
     */
    public WarmUp untilReady(ClusterStateHandler state) {
        state.onReadiness(ready -> {
            if (ready) {
                end();
            }
        });
        return this;
    }

    /** Ends the warm-up soon, without waiting for it. */
    void end() {
        ended = true;
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    /** Interrupts the warm-up. */
    void interrupt() {
        thread.interrupt();
    }

    /** Waits until the warm-up has ended. */
    void await() throws InterruptedException {
        thread.join();
    }

    private boolean isOver() {
        return ended || System.nanoTime() - deadline >= 0;
    }

    private void run() {
        try {
            // The first server stops before the real server has callers, so that stopping the second one runs no new
            // code.
            converse(0, CALLS_A_CONNECTION);
            converse(CALLS_A_CONNECTION, Integer.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            // The server works without it, but is slower at first.
            LOG.log(
                    System.Logger.Level.WARNING,
                    "warm-up failed; the server continues, but the first calls may be slow",
                    e);
        }
    }

    /**
     * Feeds and calls a separate server, over one connection after another, until the warm-up is over.
     *
     * @param first the number of the first call
     * @param end the number of the call before which it ends
     */
    private void converse(int first, int end) throws IOException, InterruptedException {
        if (isOver()) {
            return;
        }
        try (EvenkeelServer server = EvenkeelServer.start(options())) {
            FeedLog.begin(server.instance().clusterState(), server.health(), (level, line) -> {});
            String target = "127.0.0.1:" + server.port();
            try (PlacementClient feeder = connect(target);
                    ClusterFeed feed = feeder.feed()) {
                WarmUpCalls.snapshot(feed);
                for (int call = first; call < end && !isOver(); call += CALLS_A_CONNECTION) {
                    call(target, feed, call);
                }
                rest();
            }
        }
    }

    private static PlacementClient connect(String target) {
        return RemotePlacement.builder(target).executor(Runnable::run).build();
    }

    /** Makes the calls of one connection, until the warm-up is over. */
    private void call(String target, ClusterFeed feed, int first) throws InterruptedException {
        try (PlacementClient client = connect(target);
                WarmUpCalls calls = new WarmUpCalls(client, feed)) {
            // One at a time, so that a first real caller does not have to wait for others.
            for (int call = first; call < first + CALLS_A_CONNECTION && !isOver(); call++) {
                if (feeding.getAsBoolean()) {
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
                calls.make(call);
            }
            rest();
        } catch (RuntimeException e) {
            // A machine may be too busy for one connection, but not for the next one.
            LOG.log(System.Logger.Level.DEBUG, "a warm-up connection failed", e);
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /** Waits once when the warm-up is over, before anything is closed, to leave the processors to the first callers. */
    private void rest() throws InterruptedException {
        if (isOver() && !rested) {
            rested = true;
            TimeUnit.NANOSECONDS.sleep(rest.toNanos());
        }
    }

    private static ServerOptions options() {
        ServerOptions options = ServerOptions.onLoopback(0).withStop(new StopTimes(Duration.ZERO, STOP_WITHIN));
        return options.withInstance(
                options.instance().withEngine(EngineOptions.defaults().withMaxPlans(PLANS)));
    }
}
