package io.evenkeel.loadtest.feed;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Replicas;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.cluster.SizeOptions;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.v1.ClusterEvent;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code evenkeel bench feed}: measures how fast a cluster and its events are ingested, and how much memory
 * they need.
 */
@Command(
        name = "feed",
        description = "Measure how fast a cluster and its events are ingested, and how much memory they need.",
        sortOptions = false)
public final class FeedCommand implements Callable<Integer> {
    private static final long SEED = 1;
    private static final int SMALL = 900;
    private static final int LARGE = 2_500;
    private static final int WARM_LOADS = 4;

    /** The warm-up of a server takes this many times as long as a measurement: until then, the rate still doubles. */
    private static final int SYNC_WARM_UP_TIMES = 5;

    private static final int EVENT_WINDOWS = 8;
    private static final int SESSION_ROUNDS = 5;
    private static final int MOVING = 20_000;
    private static final long MIB = 1 << 20;

    @Mixin
    private SizeOptions size = new SizeOptions();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "3",
            description =
                    "How long to feed events for each figure, after a warm-up of the same length, or of five times that"
                            + " length if they pass through a server (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
            names = "--large",
            description = "Measure only events and memory, with 100,000 nodes and 3,000,000 pods. Give the JVM 5 GiB.")
    private boolean large;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    private final List<Bounds.Bound> figures = new ArrayList<>();
    private String remark = "";

    @Override
    public Integer call() throws IOException, InterruptedException {
        ClusterGenerator cluster = size.clusterWithPods(SEED, WorkloadSizes.MANY);
        if (seconds <= 0) {
            throw output.wrongUsage("--seconds must be more than 0, was " + seconds);
        }
        PrintWriter out = output.out();
        if (large) {
            measureLarge(out);
        } else {
            measureEngine(cluster, 2_000_000);
            measureWithSessions(cluster.withNodes(Resources::of));
            measureLoad(cluster);
            measureSync(cluster, SMALL, 300_000);
            measureSync(cluster, LARGE, 120_000);
        }
        Bounds bounds = new Bounds().table(figures, out);
        out.println(remark);
        bounds.show(out);
        output.write(FiguresOutput.ofThisMachine(Map.of("figures", figures)));
        return bounds.exitCode();
    }

    private void measureLarge(PrintWriter out) {
        ClusterGenerator cluster =
                new ClusterGenerator(ClusterShape.of(SEED, 100_000, 3_000_000).withSizes(WorkloadSizes.MANY));
        out.println("feeding 3,000,000 pods to an engine, twice; this takes some minutes");
        long plain = measureHeap("heap, 12,000 groups of 6,000 workloads", cluster, 600 * MIB);
        measureHeap("the same, with a unique label per pod", cluster.with(Replicas::withOwnLabel), plain * 13 / 10);
        measureEngine(cluster, 600_000);
    }

    private long measureHeap(String what, ClusterGenerator cluster, long atMost) {
        long used = EngineFeed.heapFor(cluster);
        figures.add(new Bounds.Bound(
                what,
                "%,d MiB, %d B a pod"
                        .formatted(used / MIB, used / cluster.shape().pods()),
                "at most %,d MiB".formatted(atMost / MIB),
                used <= atMost));
        return used;
    }

    private void measureEngine(ClusterGenerator cluster, int atLeast) {
        EngineFeed engine = new EngineFeed(cluster);
        engine.chooseMoving(cluster);
        engine.measure(seconds);
        List<EngineFeed.Events> windows = new ArrayList<>();
        for (int i = 0; i < EVENT_WINDOWS; i++) {
            windows.add(engine.measure(2 * seconds / EVENT_WINDOWS));
        }
        windows.sort(Comparator.comparingDouble(EngineFeed.Events::perSecond));
        double best = windows.get(EVENT_WINDOWS - 1).perSecond();
        double middle = windows.get(EVENT_WINDOWS / 2).perSecond();
        figures.add(Bounds.Bound.rate("pod events, engine, two groups each", best, atLeast));
        remark = "pod events, engine: best of %d windows; the median had %,.0f/s".formatted(EVENT_WINDOWS, middle);
        double bytesAPair = windows.get(EVENT_WINDOWS / 2).bytesAPair();
        figures.add(new Bounds.Bound(
                "allocated for a pod's deletion and addition", "%.2f B".formatted(bytesAPair), "0 B", bytesAPair < 1));
    }

    /** Compares the rate of events with and without open sessions, in turn, after the sessions' code is compiled. */
    private void measureWithSessions(ClusterGenerator cluster) {
        EngineFeed engine = new EngineFeed(cluster);
        engine.chooseMoving(cluster);
        engine.measure(seconds);
        rateWithSessions(engine, cluster);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < SESSION_ROUNDS; i++) {
            double without = engine.measure(seconds / 4).perSecond();
            ratios.add(rateWithSessions(engine, cluster) / without);
        }
        Collections.sort(ratios);
        double ratio = ratios.get(SESSION_ROUNDS / 2);
        figures.add(new Bounds.Bound(
                "pod events, engine, while %d sessions place %,d pods/s"
                        .formatted(PlacingSessions.SESSIONS, PlacingSessions.PODS_PER_SECOND),
                "%.2f of the rate without".formatted(ratio),
                "at least 0.9",
                ratio >= 0.9));
    }

    private double rateWithSessions(EngineFeed engine, ClusterGenerator cluster) {
        PlacingSessions sessions = engine.open(Spread.SOFT_ZONE_SOFT_HOSTNAME.in(cluster));
        double rate = engine.measure(seconds / 4).perSecond();
        sessions.close();
        return rate;
    }

    private void measureLoad(ClusterGenerator cluster) throws IOException, InterruptedException {
        List<SyncMessage> snapshot = SyncMessages.snapshot(ofSize(cluster, SMALL));
        try (ServerUnderTest server = ServerUnderTest.withEcho();
                SyncFeed feed = new SyncFeed(server.target())) {
            figures.add(Bounds.Bound.seconds("cluster loaded through Sync, cold JVM", load(feed, snapshot), 2.5));
            double best = Double.MAX_VALUE;
            for (int i = 0; i < WARM_LOADS; i++) {
                load(feed, List.of(SyncMessages.BEGIN, SyncMessages.END));
                best = Math.min(best, load(feed, snapshot));
            }
            figures.add(Bounds.Bound.seconds("the same after warm-up", best, 0.8));
        }
    }

    private static double load(SyncFeed feed, List<SyncMessage> snapshot) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        feed.send(snapshot);
        feed.await();
        return (System.nanoTime() - begin) / 1e9;
    }

    private void measureSync(ClusterGenerator cluster, int size, int atLeast) throws IOException, InterruptedException {
        ClusterGenerator fed = ofSize(cluster, size);
        int moving = Math.min(MOVING, cluster.shape().pods());
        List<SyncMessage> deleted = SyncMessages.moves(fed, ClusterEvent.Type.TYPE_DELETED, moving);
        List<SyncMessage> added = SyncMessages.moves(fed, ClusterEvent.Type.TYPE_ADDED, moving);
        try (ServerUnderTest server = ServerUnderTest.withEcho();
                SyncFeed feed = new SyncFeed(server.target())) {
            feed.send(SyncMessages.snapshot(cluster));
            feed.send(SyncMessages.pending(cluster.workloads().stream()
                    .map(Spread.HARD_ZONE_HARD_HOSTNAME::of)
                    .toList()));
            feed.await();
            events(feed, deleted, added, SYNC_WARM_UP_TIMES * seconds);
            double perSecond = events(feed, deleted, added, seconds);
            figures.add(Bounds.Bound.rate("pod events through Sync, %,d B each".formatted(size), perSecond, atLeast));
        }
    }

    private static ClusterGenerator ofSize(ClusterGenerator cluster, int bytes) {
        return cluster.with(pod -> Replicas.ofSize(pod, bytes));
    }

    /** Deletes and adds the same pods for a number of seconds; returns the events per second. */
    private static double events(SyncFeed feed, List<SyncMessage> deleted, List<SyncMessage> added, double seconds)
            throws IOException, InterruptedException {
        long round = 2L * deleted.stream().mapToInt(SyncMessage::changes).sum();
        long begin = System.nanoTime();
        long events = 0;
        while (System.nanoTime() - begin < seconds * 1e9) {
            feed.send(deleted);
            feed.send(added);
            events += round;
        }
        feed.await();
        return events / ((System.nanoTime() - begin) / 1e9);
    }
}
