package io.evenkeel.warmup;

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
 * Lets the JIT compiler see the code that takes feeds and answers calls before the first caller needs it: feeds and
 * asks a server of its own, with a small cluster, over loopback, in threads of its own. It shares nothing with the
 * server that it warms up for, and ends when that one has its cluster or the time is over. While that one gets its
 * cluster, it asks less. Safe for use by several threads.
 *
 * <p>Compiled code leaves out what was never run. So connections come and go here as well; otherwise the first one that
 * ends would have Java throw away the code that answers. For the same reason, and because it takes processor time, the
 * server is stopped only some time after the last question.
 */
public final class WarmUp {
    private static final System.Logger LOG = System.getLogger(WarmUp.class.getName());

    private static final int TURNS_A_CONNECTION = 50;

    /** Its server keeps no more plans, since every fourth question makes one that nobody asks for later. */
    private static final int PLANS = 256;

    /** Between two questions, while the server gets its cluster: that needs the processors more. */
    private static final long PAUSE_MILLIS = 1;

    private static final Duration STOP_WITHIN = Duration.ofMillis(200);

    /** The time after the last question in which first callers have the processors to themselves. */
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
     * Begins to warm up, for {@code longest} at most.
     *
     * @param feeding whether the server gets its cluster now
     */
    public static WarmUp begin(Duration longest, BooleanSupplier feeding) {
        return begin(longest, feeding, REST);
    }

    /** @param rest how long its server stays after the last question */
    static WarmUp begin(Duration longest, BooleanSupplier feeding, Duration rest) {
        WarmUp begun = new WarmUp(longest, feeding, rest);
        begun.thread.start();
        return begun;
    }

    /**
     * Ends it soon once queries are answered. That waits for nothing here: a server is ready when it has its cluster.
     */
    public WarmUp untilReady(ClusterStateHandler state) {
        state.onReadiness(ready -> {
            if (ready) {
                end();
            }
        });
        return this;
    }

    /** Ends it soon, without waiting. */
    void end() {
        ended = true;
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    /** Ends it where it waits. */
    void interrupt() {
        thread.interrupt();
    }

    /** Waits until it has ended. */
    void await() throws InterruptedException {
        thread.join();
    }

    private boolean isOver() {
        return ended || System.nanoTime() - deadline >= 0;
    }

    private void run() {
        try {
            // The first server stops while nobody waits. So the stop of the second one runs no code for the first time.
            converse(0, TURNS_A_CONNECTION);
            converse(TURNS_A_CONNECTION, Integer.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            // The server works without it, only more slowly at first.
            LOG.log(System.Logger.Level.WARNING, "the warm-up failed", e);
        }
    }

    /**
     * Feeds and asks a server of its own, over one connection after another, unless the warm-up is over.
     *
     * @param first the number of the first turn
     * @param end the number of the turn before which it ends
     */
    private void converse(int first, int end) throws IOException, InterruptedException {
        if (isOver()) {
            return;
        }
        try (EvenkeelServer server = EvenkeelServer.start(options())) {
            FeedLog.begin(server.instance().clusterState(), server.health(), line -> {});
            String target = "127.0.0.1:" + server.port();
            try (WarmUpFeeder feeder = new WarmUpFeeder(target)) {
                for (int turn = first; turn < end && !isOver(); turn += TURNS_A_CONNECTION) {
                    connect(target, feeder, turn);
                }
                rest();
            }
        }
    }

    /** Calls over a connection until that has had its turns, or the warm-up is over. */
    private void connect(String target, WarmUpFeeder feeder, int first) throws InterruptedException {
        try (PlacementClient client =
                        RemotePlacement.builder(target).executor(Runnable::run).build();
                WarmUpCaller caller = new WarmUpCaller(client, feeder)) {
            for (int turn = first; turn < first + TURNS_A_CONNECTION && !isOver(); turn++) {
                boolean fed = feeding.getAsBoolean();
                if (fed) {
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
                // Alone, so that a first caller finds no others before him.
                caller.call(turn, fed);
            }
            rest();
            caller.awaitAnswers();
        } catch (RuntimeException e) {
            // A machine may be too busy for one connection, and not for the next one.
            LOG.log(System.Logger.Level.DEBUG, "a connection of the warm-up failed", e);
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /** Where it is over, waits once before anything is closed: first callers have the processors to themselves. */
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
