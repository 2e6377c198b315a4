package io.evenkeel.lab.scheduler;

import io.evenkeel.lab.controlplane.FilledControlPlane;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.text.Bounds;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code evenkeel lab scheduler}: compares schedulers that bind the same pods on a real control plane. */
@Command(
        name = "scheduler",
        description = "Compare schedulers that bind the same pods on a real control plane, one after the other.",
        sortOptions = false)
public final class SchedulerCommand implements Callable<Integer> {
    private static final long SEED = 1;
    /** With at least this many nodes, a workload of 500 pods leaves most of them free for more of its pods. */
    private static final int LARGE = 2_000;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "5000",
            description = "Nodes, in three zones (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
            names = "--pods",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Pods bound before the race (default: ${DEFAULT-VALUE}).")
    private int pods;

    @Option(
            names = "--bind",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Pods to bind in each turn (default: ${DEFAULT-VALUE}).")
    private int bind;

    @Option(
            names = "--shapes",
            paramLabel = "SHAPE",
            split = ",",
            defaultValue = "none,hard,soft,defaults,five,mix",
            description = "The constraints of the pods (default: ${DEFAULT-VALUE}).")
    private List<RaceShape> shapes = List.of();

    @Option(
            names = "--sides",
            paramLabel = "SIDE",
            split = ",",
            defaultValue = "stock,evenkeel,recorded",
            description =
                    "The schedulers: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). Can be repeated for more turns.")
    private List<Side> sides = List.of();

    @Option(
            names = "--lead-in",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long to warm up with other pods and queries before a turn (default: ${DEFAULT-VALUE}).")
    private long leadIn;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "End a turn if no pod is bound for this long (default: ${DEFAULT-VALUE}).")
    private long patience;

    @Option(
            names = "--min-nodes",
            paramLabel = "N",
            description = "Nodes that a cluster must have for Evenkeel to be asked (default: the shipped value).")
    private @Nullable Integer minNodes;

    @Option(
            names = "--min-wait",
            paramLabel = "MILLIS",
            description = "How long the plugin waits for an answer of Evenkeel at least (default: the shipped value).")
    private @Nullable Integer minWait;

    @Option(
            names = "--keep",
            paramLabel = "DIR",
            description = "Keep the filled etcd in this directory for later runs, or use the one already there.")
    private @Nullable Path keep;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    @Override
    public Integer call() throws IOException, InterruptedException {
        ClusterGenerator cluster = cluster();
        PrintWriter out = output.out();
        String begun = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        out.println(cluster.words() + "; starting and filling a control plane");
        Path work = Files.createTempDirectory("evenkeel-race");
        Path replays = Files.createDirectory(work.resolve("replays"));
        RaceOptions options = new RaceOptions(bind, leadIn, patience, minNodes, minWait, replays, work);
        List<TurnResult> turns = new ArrayList<>();
        try {
            Path kept = keep == null ? work.resolve("kept") : keep;
            try (FilledControlPlane filled = FilledControlPlane.start(cluster, kept)) {
                for (RaceShape shape : shapes) {
                    ConstraintRecount stock = null;
                    for (Side side : inOrder(shape)) {
                        filled.restore(kept);
                        Turn.Outcome outcome = new Turn(cluster, filled.plane(), shape, options).run(side, stock);
                        if (side == Side.STOCK) {
                            stock = outcome.recount();
                        }
                        turns.add(outcome.result());
                        out.println("%s, %s: %s pods/s"
                                .formatted(
                                        shape.words(),
                                        side.words(),
                                        RaceReport.decimal(outcome.result().podsPerSecond())));
                    }
                }
            }
        } finally {
            keep(replays, out);
            FilledControlPlane.remove(work);
        }
        List<Bounds.Bound> figures = RaceBounds.of(turns, nodes >= LARGE);
        Bounds bounds = RaceReport.show(turns, figures, out);
        output.write(FiguresOutput.ofThisMachine(
                Map.of("begun", begun, "cluster", cluster.words(), "turns", turns, "bounds", figures)));
        return bounds.exitCode();
    }

    /**
     * The sides of a shape in the given order, except that a turn of the stock scheduler comes first, because others
     * are compared with it.
     */
    private List<Side> inOrder(RaceShape shape) {
        List<Side> ordered =
                sides.stream().filter(side -> side.runs(shape)).collect(Collectors.toCollection(ArrayList::new));
        if (ordered.remove(Side.STOCK)) {
            ordered.add(0, Side.STOCK);
        }
        return ordered;
    }

    /** Keeps what the plugin wrote about answers that differ, so that it can be replayed after the race. */
    private static void keep(Path replays, PrintWriter out) throws IOException {
        try (Stream<Path> files = Files.list(replays)) {
            if (files.findAny().isEmpty()) {
                return;
            }
        }
        Path kept = Files.createTempDirectory("evenkeel-differences").resolve("replays");
        Files.move(replays, kept);
        out.println("answers that differ are kept for `kube-scheduler-evenkeel replay` in " + kept);
    }

    private ClusterGenerator cluster() {
        if (leadIn < 0) {
            throw output.wrongUsage("--lead-in must not be negative");
        }
        if (pods < 1 || bind < 1 || patience < 1) {
            throw output.wrongUsage("--pods, --bind and --patience must be at least 1");
        }
        try {
            return new ClusterGenerator(ClusterShape.of(SEED, nodes, pods)
                    .withSizes(nodes < LARGE ? WorkloadSizes.SMALL : WorkloadSizes.MANY));
        } catch (IllegalArgumentException wrong) {
            throw output.wrongUsage(String.valueOf(wrong.getMessage()));
        }
    }
}
