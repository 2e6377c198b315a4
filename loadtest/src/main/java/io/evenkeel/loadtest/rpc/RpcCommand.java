package io.evenkeel.loadtest.rpc;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ShapeOptions;
import io.evenkeel.loadtest.load.DirectChannel;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.load.ServerNodes;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code evenkeel bench rpc}: compares answers over gRPC with echoes of equal size. */
@Command(
        name = "rpc",
        description =
                "Compare answers over gRPC with the cost of gRPC alone, measured by echoes of equal size. Answers and"
                        + " echoes alternate on the same connection.")
public final class RpcCommand implements Callable<Integer> {
    private static final double MAX_SECONDS = 3_600;

    @Mixin
    private ShapeOptions shape = new ShapeOptions();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How long to measure each figure (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "How long to warm up each figure (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(
            names = "--unix",
            description = "Compare calls over a Unix domain socket with the same calls over TCP, and skip the other"
                    + " figures.")
    private boolean unix;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    @Override
    public Integer call() throws IOException, InterruptedException {
        requireSeconds("--seconds", seconds, 0.1);
        requireSeconds("--warmup", warmUp, 0);
        ClusterGenerator cluster = shape.clusterWithPods();
        PrintWriter out = output.out();
        out.println("Server in a separate JVM: " + cluster.words());
        List<RpcRow> rows;
        try {
            rows = measure(cluster, out);
        } catch (PlacementException | CompletionException failed) {
            throw new CommandFailure(String.valueOf(failed.getMessage()));
        }
        Bounds bounds = show(rows, out);
        output.write(FiguresOutput.ofThisMachine(Map.of("cluster", cluster.words(), "rows", rows)));
        return bounds.exitCode();
    }

    private void requireSeconds(String option, double value, double least) {
        if (!(value >= least && value <= MAX_SECONDS)) {
            throw output.wrongUsage(
                    option + " must be from " + least + " to " + MAX_SECONDS + " seconds, was " + value);
        }
    }

    private List<RpcRow> measure(ClusterGenerator cluster, PrintWriter out) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("evenkeel");
        Path socket = directory.resolve("bench.sock");
        try (ServerUnderTest server = ServerUnderTest.withEcho(socket.toString());
                PlacementClient client = RemotePlacement.connect(server.target());
                DirectChannel tcp = new DirectChannel(server.target());
                DirectChannel local = new DirectChannel("unix:" + socket)) {
            ClusterFill.send(cluster.objects(), client);
            List<RpcRow> rows = new ArrayList<>();
            try (ClusterFeed feed = client.feed()) {
                RpcBench overTcp = bench(cluster, tcp, feed, client);
                RpcBench overSocket = bench(cluster, local, feed, client);
                for (RpcBench.Figure figure : unix ? RpcBench.ofTransport() : RpcBench.all()) {
                    RpcRow row = figure.of(overTcp);
                    rows.add(unix ? row.named("tcp: " + row.what()) : row);
                    if (unix) {
                        rows.add(figure.of(overSocket).named("unix: " + row.what()));
                    }
                    out.println("  " + row.what() + " is measured");
                }
            }
            return rows;
        } finally {
            Files.deleteIfExists(directory);
        }
    }

    private RpcBench bench(
            ClusterGenerator cluster, DirectChannel connection, ClusterFeed feed, PlacementClient client) {
        return new RpcBench(
                cluster, connection.channel(), feed, ServerNodes.all(client), ofSeconds(warmUp), ofSeconds(seconds));
    }

    private Bounds show(List<RpcRow> rows, PrintWriter out) {
        Table table = new Table("what", "p50 µs>", "p99 µs>", "control>", "ratio>", "pods/s>", "must be>", "holds");
        Bounds bounds = new Bounds();
        for (RpcRow row : rows) {
            String ratio = String.format(Locale.ROOT, "%.2f", row.ratio());
            String rate = row.podsPerSecond() == 0 ? "" : Numbers.grouped(row.podsPerSecond());
            table.row(
                    row.what(),
                    Numbers.micros(row.p50Nanos()),
                    Numbers.micros(row.p99Nanos()),
                    Numbers.micros(row.besideNanos()),
                    ratio,
                    rate,
                    row.target(),
                    row.target().isEmpty() ? "" : row.holds() ? "yes" : "NO");
            if (!row.target().isEmpty()) {
                bounds.add(
                        row.what() + ": ratio " + ratio + (rate.isEmpty() ? "" : ", " + rate + " pods/s") + ", must be "
                                + row.target(),
                        row.holds());
            }
        }
        out.println();
        table.print(out);
        out.println("hard, soft: a zone and a hostname constraint of that kind; one pod per call, packed by default");
        out.println("what-if: one call that asks, for each node, whether the pod fits without the pods on it");
        out.println("control: p50 of an echo of equal size; for 10,000 events/s, p99 without events;");
        out.println("         for 20 first sights/s, p99 with as many calls about known pods");
        bounds.show(out);
        for (int i = 0; unix && i < rows.size(); i += 2) {
            out.println(String.format(
                    Locale.ROOT,
                    "%s: the p50 over the socket is %.2f times that over TCP",
                    rows.get(i).what().substring("tcp: ".length()),
                    rows.get(i + 1).p50Nanos() / (double) rows.get(i).p50Nanos()));
        }
        return bounds;
    }

    private static Duration ofSeconds(double value) {
        return Duration.ofNanos(Math.round(value * 1e9));
    }
}
