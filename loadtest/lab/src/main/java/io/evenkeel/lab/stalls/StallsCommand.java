package io.evenkeel.lab.stalls;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.SizeOptions;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.local.LocalEngine;
import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code evenkeel lab stalls}: measures how long large acts hold the engine's lock, and how long a
 * concurrent caller waits.
 */
@Command(
        name = "stalls",
        description = "Measure how long large acts hold the engine's lock, and how long concurrent callers wait.",
        sortOptions = false)
public final class StallsCommand implements Callable<Integer> {
    private static final long SEED = 1;
    private static final double MAX_MILLIS = 1;
    private static final double MAX_MILLIS_LARGE = 5;

    @Mixin
    private SizeOptions size = new SizeOptions();

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often to measure each act, after one warm-up (default: ${DEFAULT-VALUE}).")
    private int repetitions;

    @Option(
            names = "--millis",
            paramLabel = "N",
            defaultValue = "500",
            description = "The duration of each idle control (queries alone), and of each act that repeats small work"
                    + " (default: ${DEFAULT-VALUE}).")
    private int millis;

    @Option(names = "--only", paramLabel = "TEXT", description = "Measure only acts whose row contains this text.")
    private String only = "";

    @Option(
            names = "--large",
            description = "Use 100,000 nodes and 3,000,000 pods; the bound on a hold is then 5 ms. Give the JVM 6 GiB.")
    private boolean large;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (repetitions < 1 || millis < 1) {
            throw output.wrongUsage("--repetitions and --millis must be at least 1");
        }
        // Both clusters have about 6,000 workloads.
        ClusterGenerator cluster = large
                ? new ClusterGenerator(ClusterShape.of(SEED, 100_000, 3_000_000).withSizes(WorkloadSizes.MANY))
                : size.clusterWithPods(SEED, WorkloadSizes.SMALL);
        PrintWriter out = output.out();
        double most = large ? MAX_MILLIS_LARGE : MAX_MILLIS;
        List<StallRow> rows = measure(cluster, out);
        if (rows.isEmpty()) {
            throw output.wrongUsage("--only must be part of an act's row, was '" + only + "'");
        }
        Bounds bounds = show(rows, most, out);
        output.write(FiguresOutput.ofThisMachine(Map.of("acts", rows)));
        return bounds.exitCode();
    }

    private List<StallRow> measure(ClusterGenerator cluster, PrintWriter out) throws InterruptedException {
        out.println(cluster.words());
        List<StallRow> rows = new ArrayList<>();
        try (LocalEngine local = LocalEngine.holding(cluster);
                PlacementClient client = local.client()) {
            for (Workload workload : cluster.workloads()) {
                local.plan(Spread.HARD_ZONE_HARD_HOSTNAME.of(workload));
            }
            LockHoldTimes holds = new LockHoldTimes();
            local.engine().probeHolds(holds);
            try (StallCaller asker = new StallCaller(
                    local.engine(),
                    local.plan(Spread.SOFT_ZONE_SOFT_HOSTNAME.of(
                            cluster.workloads().get(0))))) {
                StallScenarios acts = new StallScenarios(cluster, client, millis * 1_000_000L);
                for (StallScenario act : acts.all()) {
                    if (act.name().contains(only)) {
                        rows.add(measure(act, holds, asker));
                        out.println("%d  %s".formatted(rows.size(), act.name()));
                    }
                }
            }
            local.engine().probeHolds(null);
        }
        return rows;
    }

    private StallRow measure(StallScenario act, LockHoldTimes holds, StallCaller asker) throws InterruptedException {
        StallRow row = new StallRow(act.name());
        for (int repetition = 0; repetition <= repetitions; repetition++) {
            act.prepare().run();
            asker.reset();
            Thread.sleep(millis);
            long idle = asker.longestNanos();
            holds.reset();
            asker.reset();
            act.work().run();
            if (repetition > 0) {
                row.add(holds, asker.longestNanos(), idle);
            }
        }
        return row;
    }

    private static Bounds show(List<StallRow> rows, double most, PrintWriter out) {
        out.println();
        out.println(
                "The longest holds and waits, in ms: of the repetition in which they were lowest, holds in processor");
        out.println("time; then of the one in which they were highest, by the wall clock.");
        Table table = new Table("act", "write hold>", "read hold>", "wait>", "idle wait>", "holds");
        Bounds bounds = new Bounds();
        for (StallRow row : rows) {
            boolean holds = row.holdMillis() <= most;
            table.row(
                    row.act(), row.writeHold(), row.readHold(), row.waiting(), row.idleWaiting(), holds ? "yes" : "NO");
            bounds.add(
                    "%s: held for %.2f ms, must be at most %.0f ms".formatted(row.act(), row.holdMillis(), most),
                    holds);
        }
        table.print(out);
        bounds.show(out);
        return bounds;
    }
}
