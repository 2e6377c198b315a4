package io.evenkeel.loadtest.rpc;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.IncomingShape;
import io.evenkeel.loadtest.cluster.ShapeOptions;
import io.evenkeel.loadtest.load.DirectChannel;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.load.ServerNodes;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.v1.AnswerForm;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
                        + " echoes alternate on the same connection.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every bound holds",
            "1:some bounds do not hold; the last lines list them",
            "2:bad usage, or the measurement failed"
        })
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
        ClusterGenerator cluster = checked();
        try {
            RpcReport report = measure(cluster, output.out());
            output.write(report);
            return report.bounds().exitCode();
        } catch (PlacementException | CompletionException failed) {
            throw new CommandFailure(String.valueOf(failed.getMessage()));
        }
    }

    private ClusterGenerator checked() {
        requireSeconds("--seconds", seconds, 0.1);
        requireSeconds("--warmup", warmUp, 0);
        ClusterGenerator cluster = shape.cluster();
        if (cluster.workloads().isEmpty()) {
            throw output.wrongUsage("--pods must be at least 1, was 0");
        }
        return cluster;
    }

    private void requireSeconds(String option, double value, double least) {
        if (!(value >= least && value <= MAX_SECONDS)) {
            throw output.wrongUsage(
                    option + " must be from " + least + " to " + MAX_SECONDS + " seconds, was " + value);
        }
    }

    private RpcReport measure(ClusterGenerator cluster, PrintWriter out)
            throws IOException, InterruptedException, FailedCallException {
        out.println("Server in a separate JVM: " + cluster.words());
        return unix ? overBoth(cluster, out) : overTcp(cluster, out);
    }

    private RpcReport overTcp(ClusterGenerator cluster, PrintWriter out)
            throws IOException, InterruptedException, FailedCallException {
        try (ServerUnderTest server = ServerUnderTest.withEcho();
                PlacementClient client = RemotePlacement.connect(server.target());
                DirectChannel connection = new DirectChannel(server.target())) {
            ClusterFill.send(cluster.objects(), client);
            try (ClusterFeed feed = client.feed()) {
                return report(cluster, rows(bench(cluster, connection, feed, client), out), out);
            }
        }
    }

    private RpcReport overBoth(ClusterGenerator cluster, PrintWriter out)
            throws IOException, InterruptedException, FailedCallException {
        Path directory = Files.createTempDirectory("evenkeel");
        Path socket = directory.resolve("bench.sock");
        try (ServerUnderTest server = ServerUnderTest.withEcho(socket.toString());
                PlacementClient client = RemotePlacement.connect(server.target());
                DirectChannel tcp = new DirectChannel(server.target());
                DirectChannel local = new DirectChannel("unix:" + socket)) {
            ClusterFill.send(cluster.objects(), client);
            try (ClusterFeed feed = client.feed()) {
                SocketFigures figures =
                        new SocketFigures(bench(cluster, tcp, feed, client), bench(cluster, local, feed, client), out);
                RpcReport report = report(cluster, figures.rows(), out);
                figures.compare();
                return report;
            }
        } finally {
            Files.deleteIfExists(directory);
        }
    }

    private RpcBench bench(
            ClusterGenerator cluster, DirectChannel connection, ClusterFeed feed, PlacementClient client) {
        return new RpcBench(
                cluster, connection.channel(), feed, ServerNodes.all(client), ofSeconds(warmUp), ofSeconds(seconds));
    }

    private static RpcReport report(ClusterGenerator cluster, List<RpcRow> rows, PrintWriter out) {
        RpcReport report = new RpcReport(
                cluster.words(),
                Runtime.version().toString(),
                Runtime.getRuntime().availableProcessors(),
                rows);
        report.show(out);
        return report;
    }

    private static List<RpcRow> rows(RpcBench bench, PrintWriter out) throws InterruptedException, FailedCallException {
        List<RpcRow> rows = new ArrayList<>();
        for (boolean stream : new boolean[] {false, true}) {
            for (IncomingShape shape : RpcBench.BOTH) {
                out.println("  " + RpcBench.name(shape, stream) + " ...");
                rows.add(bench.oneByOne(shape, stream));
            }
        }
        for (AnswerForm form :
                List.of(AnswerForm.ANSWER_FORM_BEST, AnswerForm.ANSWER_FORM_PACKED, AnswerForm.ANSWER_FORM_READABLE)) {
            out.println("  64 in flight ...");
            rows.add(bench.throughput(form));
        }
        out.println("  batches ...");
        rows.add(bench.batch());
        out.println("  what-ifs ...");
        rows.add(bench.whatIf());
        out.println("  with and without churn ...");
        rows.add(bench.underChurn());
        out.println("  with and without first sights ...");
        rows.add(bench.besideFirstSights());
        return rows;
    }

    private static Duration ofSeconds(double value) {
        return Duration.ofNanos(Math.round(value * 1e9));
    }
}
