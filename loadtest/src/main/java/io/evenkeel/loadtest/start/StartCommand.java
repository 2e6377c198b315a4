package io.evenkeel.loadtest.start;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.IncomingShape;
import io.evenkeel.loadtest.cluster.ShapeOptions;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.ServeProcess;
import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.loadtest.text.Table;
import io.evenkeel.v1.EvaluateRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code evenkeel bench start}: compares the first second of a server with a later time. */
@Command(
        name = "start",
        description = "Compare how long answers take in the first second of a server that has just got its cluster,"
                + " and later, with and without its warm-up.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every figure is as it must be",
            "1:some figures are not; the last lines say which",
            "2:bad usage, or it could not be measured"
        })
public final class StartCommand implements Callable<Integer> {
    private static final double MOST_OF_LATER = 3;
    private static final Duration FIRST = Duration.ofSeconds(1);

    /** After so many, the compilers have little left to do for the client. */
    private static final int REHEARSALS = 10;

    @Mixin
    private ShapeOptions shape = new ShapeOptions();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "How long the later time is, and the time before it (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--calls",
            paramLabel = "N",
            defaultValue = "500",
            description = "Calls a second (default: ${DEFAULT-VALUE}).")
    private int calls;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    @Override
    public Integer call() throws IOException {
        if (seconds < 1 || calls < 1) {
            throw output.wrongUsage("--seconds and --calls must be at least 1");
        }
        ClusterGenerator cluster = shape.cluster();
        if (cluster.workloads().isEmpty()) {
            throw output.wrongUsage("--pods must be at least 1, was 0");
        }
        Screen screen = output.screen();
        screen.line("A server in a JVM of its own: " + cluster.words());
        rehearse(cluster, screen);
        Table table = new Table("server", "loaded in>", "first second, p50>", "p99>", "later, p50>", "p99>", "p99, ×>");
        Start cold = measure(cluster, "0", seconds, screen);
        Start warm = measure(cluster, "5s", seconds, screen);
        row(table, "without a warm-up", cold);
        row(table, "warmed up", warm);
        screen.table(table);
        screen.line("Times in µs, of " + calls + " calls a second about one pod. Later is from second " + seconds
                + " to " + 2 * seconds + ".");
        Bounds bounds = new Bounds();
        bounds.add("p99 of the first second: at most 3× that of later", warm.ratio() <= MOST_OF_LATER);
        bounds.show(screen);
        return bounds.exitCode();
    }

    private record Start(long loadNanos, Histogram first, Histogram later) {
        double ratio() {
            return (double) p99(first) / p99(later);
        }
    }

    /** Lets the client do what it will do, so that in a server's first second only the server is not warm. */
    private void rehearse(ClusterGenerator cluster, Screen screen) throws IOException {
        try (ServeProcess server = ServeProcess.start("--warm-up", "0")) {
            for (int i = 0; i < REHEARSALS; i++) {
                try (PlacementClient client = RemotePlacement.connect(server.target())) {
                    ClusterFill.send(cluster, client, screen);
                    calls(client, cluster).during(FIRST);
                }
            }
        }
    }

    private PacedCalls calls(PlacementClient client, ClusterGenerator cluster) {
        EvaluateRequest question = Query.of(List.of(IncomingShape.SOFT_ZONE_SOFT_HOSTNAME.in(cluster)))
                .best(3)
                .toEvaluate();
        return new PacedCalls(() -> client.evaluate(question), calls);
    }

    private Start measure(ClusterGenerator cluster, String warmUp, int length, Screen screen) throws IOException {
        try (ServeProcess server = ServeProcess.start("--warm-up", warmUp);
                PlacementClient client = RemotePlacement.connect(server.target())) {
            long began = System.nanoTime();
            ClusterFill.send(cluster, client, screen);
            long loaded = System.nanoTime() - began;
            PacedCalls paced = calls(client, cluster);
            Histogram first = paced.during(FIRST);
            paced.during(Duration.ofSeconds(length - 1L));
            return new Start(loaded, first, paced.during(Duration.ofSeconds(length)));
        }
    }

    private static void row(Table table, String name, Start start) {
        table.row(
                name,
                Numbers.grouped(TimeUnit.NANOSECONDS.toMillis(start.loadNanos())) + " ms",
                Numbers.micros(p50(start.first())),
                Numbers.micros(p99(start.first())),
                Numbers.micros(p50(start.later())),
                Numbers.micros(p99(start.later())),
                "%.1f".formatted(start.ratio()));
    }

    private static long p50(Histogram times) {
        return times.getValueAtPercentile(50);
    }

    private static long p99(Histogram times) {
        return times.getValueAtPercentile(99);
    }
}
