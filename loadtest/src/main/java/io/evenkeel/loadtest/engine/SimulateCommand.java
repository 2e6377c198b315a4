package io.evenkeel.loadtest.engine;

import com.sun.management.ThreadMXBean;
import io.evenkeel.client.Session;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.engine.simulation.Schedule;
import io.evenkeel.engine.simulation.ScheduledPods;
import io.evenkeel.engine.simulation.SimulatedCluster;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.Labels;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.load.TimeOptions;
import io.evenkeel.loadtest.local.LocalEngine;
import io.evenkeel.loadtest.local.LocalSimulation;
import io.evenkeel.loadtest.local.PeerPrograms;
import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code evenkeel bench simulate}: measures how fast pods are placed one after another in a simulated
 * cluster, how fast nodes are removed from it, and how long estimates take. Every pod is judged by all filters. Each
 * figure is the median of several rounds, whose changes are reverted. For some, kube-scheduler's plugin or Karpenter's
 * scheduler then does the same.
 */
@Command(
        name = "simulate",
        description = "Measure how fast pods are placed and nodes are removed in a simulated cluster, and estimates,"
                + " compared with kube-scheduler and Karpenter.",
        sortOptions = false)
public final class SimulateCommand implements Callable<Integer> {
    private static final long SEED = 1;
    private static final int FORKED = 100;
    private static final int PLACED = 1_000;
    private static final int IN_SEQUENCE = 100_000;
    private static final int REMOVED = 1_000;
    private static final int FULL = 5_000;
    private static final int MIN_ROUNDS = 5;

    /** How many pods kube-scheduler's plugin places, which takes seconds. */
    private static final int PLACED_BY_PLUGIN = 100;

    private static final int ESTIMATED = 1_000;
    private static final int ESTIMATED_LARGE = 5_000;
    private static final int KARPENTER_SECONDS = 120;
    private static final int KARPENTER_LARGE_SECONDS = 600;

    @Mixin
    private TimeOptions time = new TimeOptions();

    @Option(names = "--large", description = "Also have Karpenter estimate 5,000 pods, which takes some minutes.")
    private boolean large;

    @Option(
            names = "--work",
            paramLabel = "DIR",
            description = "The directory for building the Go programs and for the files that they read and write"
                    + " (default: loadtest/target/simulate).")
    private @Nullable Path work;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    private final List<Bounds.Bound> figures = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        time.check();
        PeerPrograms programs = PeerPrograms.find("kube-scheduler and Karpenter", work, "simulate", output.out());
        SimulationPeers peers = programs == null ? null : new SimulationPeers(programs);
        measureForks(cluster(5_000, 150_000, 3), peers);
        measureSequences(cluster(2_000, 50_000, 3), peers);
        measureRemovals(cluster(5_000, 150_000, 3));
        measureCalls(cluster(5_000, 150_000, 3));
        measureEstimates(peers);
        Bounds bounds = new Bounds().table(figures, output.out());
        bounds.show(output.out());
        output.write(FiguresOutput.ofThisMachine(Map.of("figures", figures)));
        return bounds.exitCode();
    }

    private static ClusterGenerator cluster(int nodes, int pods, int regions) {
        ClusterShape shape = new ClusterShape(SEED, nodes, pods, 2 * regions, regions, WorkloadSizes.MANY);
        return new ClusterGenerator(shape)
                .with(pod -> Resources.asking(pod, "100m"))
                .withNodes(Resources::of);
    }

    private void measureForks(ClusterGenerator generator, @Nullable SimulationPeers peers)
            throws IOException, InterruptedException {
        try (LocalEngine local = LocalEngine.holding(generator)) {
            measureMemory(local.engine());
            LocalSimulation cluster = new LocalSimulation(local.engine());
            Pod pod = Resources.asking(Spread.HARD_ZONE_HARD_HOSTNAME.in(generator), "100m");
            PodPlan plan = cluster.plan(pod);
            Runnable revert = cluster::revert;
            bound(
                    "fork and revert",
                    1_000,
                    PLACED,
                    () -> {
                        for (int i = 0; i < PLACED; i++) {
                            cluster.fork();
                            cluster.revert();
                        }
                    },
                    () -> {});
            List<String> nodes = LocalSimulation.nodesOf(place(cluster, List.of(cluster.item(plan, pod, FORKED, ""))));
            cluster.revert();
            List<ScheduledPods> onNodes =
                    nodes.stream().map(node -> cluster.item(plan, pod, 1, node)).toList();
            bound(
                    "fork, " + FORKED + " pods on " + FORKED + " nodes, revert",
                    100_000,
                    1,
                    () -> {
                        place(cluster, onNodes);
                        cluster.revert();
                    },
                    () -> {});
            long placing = bound(
                    "judge all nodes for a pod, and place it, hard zone + hostname",
                    3_000,
                    PLACED,
                    () -> place(cluster, List.of(cluster.item(plan, pod, PLACED, ""))),
                    revert);
            if (peers != null) {
                SimulationPeers.Placed plugin = peers.place(generator, pod, PLACED_BY_PLUGIN);
                slower("the same by kube-scheduler's plugin", plugin.p50Nanos(), placing);
            }
            bound(
                    "the same by kube-scheduler's scores (rule STOCK)",
                    300_000,
                    PLACED,
                    () -> place(cluster, List.of(cluster.item(plan, pod, PLACED, "")), PlacementRule.STOCK),
                    revert);
        }
    }

    /** Measures the memory of a session until something changes. */
    private void measureMemory(SpreadEngine live) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        // The first fork also loads classes.
        new SimulatedCluster(live.fork());
        long before = threads.getCurrentThreadAllocatedBytes();
        new SimulatedCluster(live.fork());
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        figures.add(new Bounds.Bound(
                "allocated by a session until something changes",
                "%,d KiB".formatted(bytes >> 10),
                "at most 1,024 KiB",
                bytes <= 1 << 20));
    }

    private void measureSequences(ClusterGenerator generator, @Nullable SimulationPeers peers)
            throws IOException, InterruptedException {
        try (LocalEngine local = LocalEngine.holding(generator)) {
            LocalSimulation cluster = new LocalSimulation(local.engine());
            List<Pod> pods = generator.workloads().stream()
                    .map(workload -> overRegions(Resources.asking(Spread.SOFT_ZONE_SOFT_HOSTNAME.of(workload), "100m")))
                    .toList();
            List<PodPlan> plans = pods.stream().map(pod -> cluster.plan(pod)).toList();
            long equal = bound(
                    "%,d equal pods, soft region + hostname".formatted(IN_SEQUENCE),
                    200_000_000,
                    1,
                    () -> place(cluster, List.of(cluster.item(plans.get(0), pods.get(0), IN_SEQUENCE, ""))),
                    cluster::revert);
            if (peers != null) {
                SimulationPeers.Placed plugin = peers.place(generator, pods.get(0), PLACED_BY_PLUGIN);
                slower(
                        "the same by kube-scheduler's plugin, extrapolated from %d".formatted(PLACED_BY_PLUGIN),
                        plugin.p50Nanos() * IN_SEQUENCE,
                        equal);
            }
            String different = "%,d pods of %d workloads in turn".formatted(IN_SEQUENCE, pods.size());
            List<ScheduledPods> items = new ArrayList<>();
            for (int i = 0; i < IN_SEQUENCE; i++) {
                items.add(cluster.item(plans.get(i % plans.size()), pods.get(i % pods.size()), 1, ""));
            }
            bound(different, 1_000_000_000, 1, () -> place(cluster, items), cluster::revert);
        }
    }

    private void measureRemovals(ClusterGenerator generator) {
        try (LocalEngine local = LocalEngine.holding(MeasuredRemovals.spread(generator))) {
            List<String> nodes = new ArrayList<>();
            for (int slot : local.engine().nodeNames().byName()) {
                nodes.add(String.valueOf(local.engine().nodeNames().name(slot)));
            }
            Collections.shuffle(nodes, new Random(SEED));
            List<String> candidates = nodes.subList(0, REMOVED);
            try (MeasuredRemovals removals = new MeasuredRemovals(local.engine().fork())) {
                bound(
                        "judge whether a node of 30 pods can be removed, hard zone + hostname",
                        200_000,
                        REMOVED,
                        () -> removals.judge(candidates),
                        () -> {});
            }
            String together =
                    "which of %,d nodes can be removed together, with the fork and its plans".formatted(REMOVED);
            bound(
                    together,
                    200_000_000,
                    1,
                    () -> {
                        try (MeasuredRemovals removals =
                                new MeasuredRemovals(local.engine().fork())) {
                            removals.remove(candidates);
                        }
                    },
                    () -> {});
        }
    }

    private void measureCalls(ClusterGenerator generator) throws IOException {
        Pod pod = Resources.asking(Spread.HARD_ZONE_HARD_HOSTNAME.in(generator), "100m");
        try (MeasuredCalls calls = new MeasuredCalls(generator)) {
            bound(
                    "call OpenSession, and CloseSession",
                    5_000_000,
                    1,
                    () -> calls.openSession().close(),
                    () -> {});
            try (Session session = calls.openSession()) {
                session.fork();
                bound(
                        "call Schedule with %,d pods, time of each, hard zone + hostname".formatted(PLACED),
                        5_000,
                        PLACED,
                        () -> calls.schedule(session, pod, PLACED),
                        () -> {
                            session.revert();
                            session.fork();
                        });
            }
        }
    }

    private void measureEstimates(@Nullable SimulationPeers peers) throws IOException, InterruptedException {
        Pod hostname = MeasuredCalls.pending(Labels.HOSTNAME);
        Pod both = MeasuredCalls.pending(Labels.ZONE, Labels.HOSTNAME);
        try (MeasuredCalls full = new MeasuredCalls(FULL)) {
            estimate(full, "1,000 pods, hard hostname, 5,000 full nodes", 20, hostname, 1_000, 1, 500);
            estimate(full, "the same, hard zone + hostname, a group in each zone", 20, both, 1_000, 3, 501);
        }
        try (MeasuredCalls empty = new MeasuredCalls(0)) {
            long few = estimate(empty, "1,000 pods, hard zone + hostname, no nodes", 20, both, ESTIMATED, 3, 36);
            compare(peers, both, ESTIMATED, 36, few, KARPENTER_SECONDS);
            long many =
                    estimate(empty, "5,000 pods, hard zone + hostname, no nodes", 100, both, ESTIMATED_LARGE, 3, 168);
            compare(large ? peers : null, both, ESTIMATED_LARGE, 168, many, KARPENTER_LARGE_SECONDS);
        }
    }

    private long estimate(
            MeasuredCalls calls, String what, int maxMillis, Pod pod, int pods, int groups, int newNodes) {
        return bound(
                "call EstimateNodes, " + what,
                maxMillis * 1_000_000L,
                1,
                () -> calls.estimate(pod, pods, groups, newNodes),
                () -> {});
    }

    /** Has Karpenter make an estimate, unless there are no peers. */
    private void compare(
            @Nullable SimulationPeers peers, Pod pod, int pods, int newNodes, long estimate, int maxSeconds)
            throws IOException, InterruptedException {
        if (peers == null) {
            return;
        }
        SimulationPeers.Solved solved = peers.solve(MeasuredCalls.templates(pod), pods, maxSeconds);
        String until = solved.finished() ? "" : ", stopped after %,d of %,d pods".formatted(solved.placed(), pods);
        slower("the same by Karpenter" + until, solved.nanos(), estimate);
        figures.add(new Bounds.Bound(
                "new nodes for %,d pods; Karpenter's".formatted(pods),
                "%,d; %,d".formatted(newNodes, solved.nodes()),
                "no more",
                !solved.finished() || newNodes <= solved.nodes()));
    }

    /**
     * Adds a figure: the median time of rounds, divided by how often each does what is measured, and the least time.
     *
     * @param after runs after each round, and is not measured
     * @return the median, in nanoseconds
     */
    private long bound(String what, long maxNanos, int times, Runnable round, Runnable after) {
        List<Long> nanos = new ArrayList<>();
        long warm = System.nanoTime() + time.warmUpNanos();
        long end = warm + time.nanos();
        while (nanos.size() < MIN_ROUNDS || System.nanoTime() < end) {
            long begin = System.nanoTime();
            round.run();
            long taken = (System.nanoTime() - begin) / times;
            after.run();
            if (System.nanoTime() > warm) {
                nanos.add(taken);
            }
        }
        Collections.sort(nanos);
        long median = nanos.get(nanos.size() / 2);
        figures.add(new Bounds.Bound(
                what,
                Numbers.micros(median) + " µs (least " + Numbers.micros(nanos.get(0)) + ")",
                "at most " + Numbers.micros(maxNanos) + " µs",
                median <= maxNanos));
        return median;
    }

    /** Adds the time that a peer takes for what was measured before it. */
    private void slower(String what, long nanos, long own) {
        figures.add(new Bounds.Bound(
                what,
                "%s, %,.0f times as long".formatted(Numbers.millis(nanos) + " ms", (double) nanos / own),
                "longer",
                nanos > own));
    }

    /** Places pods in a new fork. All must find a node. */
    private static Schedule place(LocalSimulation cluster, List<ScheduledPods> items) {
        return place(cluster, items, PlacementRule.SPREAD);
    }

    private static Schedule place(LocalSimulation cluster, List<ScheduledPods> items, PlacementRule rule) {
        cluster.fork();
        Schedule schedule = cluster.place(items, rule);
        if (schedule.nodes().length
                < items.stream().mapToInt(ScheduledPods::count).sum()) {
            throw new IllegalStateException("only " + schedule.nodes().length + " pods found a node");
        }
        return schedule;
    }

    private static Pod overRegions(Pod pod) {
        Pod.Builder over = pod.toBuilder();
        over.getSpecBuilder().getTopologySpreadConstraintsBuilderList().stream()
                .filter(constraint -> constraint.getTopologyKey().equals(Labels.ZONE))
                .forEach(constraint -> constraint.setTopologyKey(Labels.REGION));
        return over.build();
    }
}
