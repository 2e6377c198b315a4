package io.evenkeel.loadtest.decisions;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementQueries;
import io.evenkeel.client.Session;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.FullCluster;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.cluster.SizeOptions;
import io.evenkeel.loadtest.cluster.SkewedCluster;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.load.ChurnPods;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.load.TimeOptions;
import io.evenkeel.loadtest.local.LocalEngine;
import io.evenkeel.loadtest.local.PeerPrograms;
import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.PreemptResponse;
import io.evenkeel.v1.PreemptionNode;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.WorkloadReference;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code evenkeel bench decisions}: measures the calls ListSpread, RankVictims, Rebalance and Preempt, and
 * runs the descheduler on the cluster of a Rebalance, and kube-scheduler's dry run on that of a Preempt. Each part has
 * its own new server, which is asked through a channel; Preempt is also called in process.
 */
@Command(
        name = "decisions",
        description = "Measure how fast workloads are listed by skew, and moves, victims and preemptions found,"
                + " compared with the descheduler and kube-scheduler.",
        sortOptions = false)
public final class DecisionsCommand implements Callable<Integer> {
    private static final long SEED = 1;
    private static final int SKEWED_WORKLOADS = 300;

    /** By how much the descheduler's cluster is smaller, because its many runs take long. */
    private static final int SMALLER = 10;

    private static final int MIN_NODES = 30;
    private static final int MIN_PODS = 3_000;
    private static final int MAX_RUNS = 100;
    private static final int PREEMPTION_NODES = 1_000;
    private static final int DRY_RUNS = 100;
    private static final int VICTIMS = 50;
    private static final int LIST_FIRST_MILLIS = 300;
    private static final int LIST_UNCHANGED_MILLIS = 5;
    private static final int REBALANCE_MILLIS = 1_000;
    private static final int PREEMPT_MILLIS = 2;

    @Mixin
    private SizeOptions size = new SizeOptions();

    @Mixin
    private TimeOptions time = new TimeOptions();

    @Option(
            names = "--large",
            description = "Run the descheduler on as many nodes and pods as Rebalance, instead of a tenth, but only"
                    + " once. With the default size, this takes some minutes.")
    private boolean large;

    @Option(
            names = "--work",
            paramLabel = "DIR",
            description = "The directory for building the Go programs and for the files that they read and write"
                    + " (default: loadtest/target/decisions).")
    private @Nullable Path work;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    private final List<Bounds.Bound> figures = new ArrayList<>();

    /** A plan, and how long the calls took. */
    private record Planned(RebalanceResponse plan, CallTimes times) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        ClusterGenerator listed =
                size.clusterWithPods(SEED, WorkloadSizes.SMALL).withNodes(Resources::of);
        int nodes = listed.shape().nodes();
        int pods = listed.shape().pods();
        if (nodes < MIN_NODES || pods < MIN_PODS) {
            throw output.wrongUsage("--nodes must be at least " + MIN_NODES + ", and --pods at least " + MIN_PODS
                    + ", were " + nodes + " and " + pods);
        }
        time.check();
        PrintWriter out = output.out();
        PeerPrograms programs = PeerPrograms.find("the descheduler and kube-scheduler", work, "decisions", out);
        DecisionPeers peers = programs == null ? null : new DecisionPeers(programs);
        measureList(listed);
        SkewedCluster skewed = new SkewedCluster(SEED, nodes, pods, SKEWED_WORKLOADS);
        Planned planned = measureRebalance(skewed);
        measurePreempt(new FullCluster(Math.min(PREEMPTION_NODES, nodes)), peers);
        if (peers != null && large) {
            compare(skewed, planned, peers, 1);
        } else if (peers != null) {
            SkewedCluster smaller = new SkewedCluster(SEED, nodes / SMALLER, pods / SMALLER, SKEWED_WORKLOADS);
            compare(smaller, planned(smaller), peers, MAX_RUNS);
        }
        Bounds bounds = new Bounds().table(figures, out);
        bounds.show(out);
        output.write(FiguresOutput.ofThisMachine(Map.of("figures", figures)));
        return bounds.exitCode();
    }

    private void measureList(ClusterGenerator cluster) throws IOException {
        List<Workload> workloads = cluster.workloads();
        output.out().println("ListSpread: " + cluster.words());
        try (MeasuredServer server = new MeasuredServer(cluster.objects());
                ClusterFeed feed = server.client().feed()) {
            Runnable list = () -> list(server.client());
            CallTimes unchanged = times(list, () -> {});
            figures.add(Bounds.Bound.none(
                    "ListSpread, first answer of a new server", Numbers.millis(unchanged.firstNanos()) + " ms"));
            CallTimes first = firstOfSessions(server.client());
            atMost("ListSpread, first answer of a session", first.medianNanos(), first.words(), LIST_FIRST_MILLIS);
            atMost(
                    "ListSpread if nothing has changed",
                    unchanged.medianNanos(),
                    unchanged.words(),
                    LIST_UNCHANGED_MILLIS);
            ChurnPods events = new ChurnPods(
                    workloads.stream().map(Workload::incomingPod).toList(),
                    List.of(cluster.pod(0).getSpec().getNodeName()));
            CallTimes changed =
                    times(list, () -> feed.events(List.of(events.next())).join());
            figures.add(Bounds.Bound.none("ListSpread after a pod has come", changed.words()));
        }
    }

    private static void list(PlacementQueries asked) {
        if (asked.listSpread(ListSpreadRequest.getDefaultInstance()).getWorkloadsCount() == 0) {
            throw new IllegalStateException("no workload is listed");
        }
    }

    /** Like a new server, a session has no earlier list. Unlike there, the code is optimized after a while. */
    private CallTimes firstOfSessions(PlacementClient client) {
        Session[] session = {client.openSession()};
        try {
            return times(() -> list(session[0]), () -> {
                session[0].close();
                session[0] = client.openSession();
            });
        } finally {
            session[0].close();
        }
    }

    private Planned measureRebalance(SkewedCluster cluster) throws IOException {
        output.out().println("Rebalance, RankVictims: " + cluster.words());
        try (MeasuredServer server = new MeasuredServer(cluster.objects())) {
            Planned planned = planned(cluster, server);
            atMost(
                    "Rebalance, %,d moves".formatted(planned.plan.getMovesCount()),
                    planned.times.medianNanos(),
                    planned.times.words(),
                    REBALANCE_MILLIS);
            Workload workload = cluster.workloads().get(0);
            RankVictimsRequest request = RankVictimsRequest.newBuilder()
                    .setWorkload(WorkloadReference.newBuilder()
                            .setNamespace(workload.namespace())
                            .setKind("Deployment")
                            .setName(workload.name()))
                    .setCount(VICTIMS)
                    .build();
            CallTimes times = times(() -> server.client().rankVictims(request), () -> {});
            figures.add(Bounds.Bound.none(
                    "RankVictims, %,d of %,d pods".formatted(Math.min(VICTIMS, workload.pods()), workload.pods()),
                    times.words()));
            return planned;
        }
    }

    private Planned planned(SkewedCluster cluster) throws IOException {
        try (MeasuredServer server = new MeasuredServer(cluster.objects())) {
            return planned(cluster, server);
        }
    }

    private Planned planned(SkewedCluster cluster, MeasuredServer server) {
        RebalanceRequest request = RebalanceRequest.getDefaultInstance();
        CallTimes times = times(() -> server.client().rebalance(request), () -> {});
        RebalanceResponse plan = server.client().rebalance(request);
        long before = cluster.excess(Map.of());
        long after = cluster.excess(destinations(plan));
        if (plan.getExcessBefore() != before || plan.getExcessAfter() != after) {
            throw new IllegalStateException("the plan is said to reduce the excess from " + plan.getExcessBefore()
                    + " to " + plan.getExcessAfter() + ", but reduces it from " + before + " to " + after);
        }
        return new Planned(plan, times);
    }

    private static Map<String, String> destinations(RebalanceResponse plan) {
        Map<String, String> destinations = new HashMap<>();
        int possible = plan.getMovesCount() - (int) plan.getImpossibleMoveCount();
        for (PodMove move : plan.getMovesList().subList(0, possible)) {
            destinations.put(move.getPod().getName(), plan.getNodes(move.getTo()));
        }
        return destinations;
    }

    private void measurePreempt(FullCluster cluster, @Nullable DecisionPeers peers)
            throws IOException, InterruptedException {
        output.out().println("Preempt: " + cluster.words());
        PreemptRequest request =
                PreemptRequest.newBuilder().setPod(cluster.incomingPod()).build();
        try (LocalEngine local = LocalEngine.holding(cluster.objects());
                PlacementClient client = local.client()) {
            CallTimes times = times(() -> requireHelp(client.preempt(request)), () -> {});
            atMost("Preempt in process", times.medianNanos(), times.words(), PREEMPT_MILLIS);
        }
        try (MeasuredServer server = new MeasuredServer(cluster.objects())) {
            CallTimes times = times(() -> server.client().preempt(request), () -> {});
            PreemptResponse answer = server.client().preempt(request);
            requireHelp(answer);
            figures.add(Bounds.Bound.none("Preempt", times.words()));
            if (peers == null) {
                return;
            }
            DecisionPeers.DryRun dryRun = peers.preempt(cluster, DRY_RUNS);
            figures.add(new Bounds.Bound(
                    "Preempt, median; p50 of the dry run",
                    "%s ms; %s (p99 %s)"
                            .formatted(
                                    Numbers.millis(times.medianNanos()),
                                    Numbers.millis(dryRun.p50Nanos()),
                                    Numbers.millis(dryRun.p99Nanos())),
                    "less",
                    times.medianNanos() < dryRun.p50Nanos()));
            PreemptionNode best = answer.getNodes(0);
            List<String> victims = best.getVictimsList().stream()
                    .map(victim -> victim.getPod().getName())
                    .toList();
            figures.add(new Bounds.Bound(
                    "Preempt: nodes that it finds; the dry run",
                    "%,d; %,d".formatted(answer.getHelpfulNodeCount(), dryRun.candidates()),
                    "equal, like the best node and victims",
                    answer.getHelpfulNodeCount() == dryRun.candidates()
                            && best.getName().equals(dryRun.node())
                            && victims.equals(dryRun.victims())));
        }
    }

    private static void requireHelp(PreemptResponse answer) {
        if (answer.getNodesCount() == 0) {
            throw new IllegalStateException("preemption helps on no node: " + answer.getSummary());
        }
    }

    private void compare(SkewedCluster cluster, Planned planned, DecisionPeers peers, int maxRuns)
            throws IOException, InterruptedException {
        DecisionPeers.Descheduled peer = peers.deschedule(cluster, maxRuns);
        RebalanceResponse plan = planned.plan;
        long firstRun = peer.runs().get(0).nanos();
        long peerExcess = cluster.excess(peer.nodes());
        PrintWriter out = output.out();
        out.println();
        out.println("The descheduler: " + cluster.words() + ", excess " + Numbers.grouped(plan.getExcessBefore())
                + (maxRuns == 1 ? "; only its first run" : ""));
        new Table("", "Evenkeel>", "descheduler>")
                .row("plan; first run", Numbers.seconds(planned.times.medianNanos()), Numbers.seconds(firstRun))
                .row("runs", 1, peer.runs().size())
                .row("moves; evictions", plan.getMovesCount(), peer.evictions())
                .row("fewest moves possible, at least", plan.getMinMoveCount(), "")
                .row("destinations that kube-scheduler would choose", choices(plan), "")
                .row("excess after", plan.getExcessAfter(), peerExcess)
                .row("pods without a node", 0, peer.pending())
                .print(out);
        out.println();
        figures.add(new Bounds.Bound(
                "Rebalance, median; the descheduler's first run",
                "%s; %s".formatted(Numbers.seconds(planned.times.medianNanos()), Numbers.seconds(firstRun)),
                "less",
                planned.times.medianNanos() < firstRun));
        if (maxRuns > 1) {
            figures.add(new Bounds.Bound(
                    "Rebalance, moves; evictions",
                    "%,d; %,d in %d runs"
                            .formatted(
                                    plan.getMovesCount(),
                                    peer.evictions(),
                                    peer.runs().size()),
                    "no more",
                    plan.getMovesCount() <= peer.evictions()));
        }
        figures.add(new Bounds.Bound(
                "Rebalance, excess after; after the descheduler",
                "%,d; %,d".formatted(plan.getExcessAfter(), peerExcess),
                "no more",
                plan.getExcessAfter() <= peerExcess));
    }

    /** How many of the first moves go to a node that kube-scheduler would choose. */
    private static String choices(RebalanceResponse plan) {
        List<PodMove> judged = plan.getMovesList().subList(0, Math.min(1_000, plan.getMovesCount()));
        return "%,d of the first %,d"
                .formatted(judged.stream().filter(PodMove::getSchedulerChoice).count(), judged.size());
    }

    private CallTimes times(Runnable call, Runnable before) {
        return CallTimes.of(call, before, time);
    }

    private void atMost(String what, long nanos, String measured, int maxMillis) {
        figures.add(new Bounds.Bound(
                what, measured, "at most " + Numbers.grouped(maxMillis) + " ms", nanos <= maxMillis * 1_000_000L));
    }
}
