package io.evenkeel.loadtest.load;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.RemoteOptions;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ShapeOptions;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** The command {@code evenkeel load}: calls a server at a given load, and reports how long its answers take. */
@Command(
        name = "load",
        description = {
            "Call a server at a given load, and report how long its answers take.",
            "Without --server, a server is started in a separate JVM and fed a generated cluster."
        },
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "0:every call succeeded",
            "1:some calls or events failed",
            "2:bad usage, a file that cannot be read or written, or a server that cannot be reached"
        })
public final class LoadCommand implements Callable<Integer> {
    @Mixin
    private RemoteOptions remote = new RemoteOptions();

    @Mixin
    private ShapeOptions cluster = new ShapeOptions();

    @Mixin
    private LoadOptions options = new LoadOptions();

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = output.out();
        try {
            remote.check(output.command());
            options.check();
            ClusterGenerator generator = cluster.clusterWithPods();
            List<Pod> pods = options.pods(generator);
            LoadReport report = remote.isOn() ? onRunningServer(pods, out) : onOwnServer(generator, pods, out);
            report.show(out);
            output.write(report);
            return report.isWell() ? ExitCodes.OK : ExitCodes.NOT_WELL;
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(output.command(), String.valueOf(wrong.getMessage()), wrong);
        } catch (PlacementException problem) {
            String where = remote.isOn() ? remote.server() : "the server that was started";
            throw new CommandFailure(where + ": " + problem.getMessage());
        } finally {
            output.command().getOut().flush();
        }
    }

    private LoadReport onOwnServer(ClusterGenerator generator, List<Pod> pods, PrintWriter out)
            throws IOException, InterruptedException {
        out.println("Feeding a generated cluster to a server in a separate JVM: " + generator.words());
        try (ServerUnderTest started = ServerUnderTest.withEcho();
                PlacementClient client = RemotePlacement.connect(started.target());
                DirectChannel connection = new DirectChannel(started.target())) {
            ClusterFill.send(generator.objects(), client);
            return run(started.target(), client, connection, pods, out);
        }
    }

    private LoadReport onRunningServer(List<Pod> pods, PrintWriter out) throws IOException, InterruptedException {
        try (PlacementClient client = remote.open(
                        settings -> settings.deadline(options.timeout()).build());
                DirectChannel connection = remote.open(DirectChannel::new)) {
            return run(remote.server(), client, connection, pods, out);
        }
    }

    private LoadReport run(
            String target, PlacementClient client, DirectChannel connection, List<Pod> pods, PrintWriter out)
            throws InterruptedException {
        GetStatusResponse status = client.status();
        String start = Instant.now().toString();
        LoadCaller caller = options.caller(pods, client, connection.channel());
        out.println("Calls for " + options.warmUp().toSeconds() + " s, and then for "
                + options.duration().toSeconds() + " s, which are measured");
        long begin = System.nanoTime();
        try (ClusterFeed feed = options.churn() == 0 ? null : client.feed()) {
            Churn churn = feed == null
                    ? null
                    : Churn.start(feed, new ChurnPods(pods, ServerNodes.all(client)), options.churn());
            Round round;
            double seconds;
            try (churn) {
                round = Round.run(
                        recording -> options.loop(caller, recording),
                        caller,
                        options.warmUp(),
                        options.duration(),
                        options.timeout());
                seconds = (System.nanoTime() - begin) / 1e9;
            }
            int judged = options.judged(pods);
            return new LoadReport(
                    start,
                    output.command().getParseResult().originalArgs(),
                    new LoadReport.Server(target, status.getVersion(), status.getNodeCount(), status.getPodCount()),
                    round.latencies().getTotalCount(),
                    round.rate(),
                    round.rate() * options.batch(),
                    judged,
                    round.rate() * judged,
                    round.failed(),
                    round.errors(),
                    Percentiles.of(round.latencies()),
                    options.isOpen() ? Percentiles.of(round.delays()) : null,
                    churn == null ? null : churn.report(seconds));
        }
    }
}
