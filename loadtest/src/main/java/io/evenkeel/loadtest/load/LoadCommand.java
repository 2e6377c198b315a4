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
import io.evenkeel.loadtest.local.SeparateServer;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code evenkeel load}: calls a server at a given load, and reports how long its answers take. */
@Command(
        name = "load",
        description = {
            "Call a server at a given load, and report how long its answers take.",
            "Without --server, a server is started in a separate JVM and fed a generated cluster."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeListHeading = "%nExit codes:%n",
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
    private QuestionOptions questions = new QuestionOptions();

    @Mixin
    private PaceOptions pace = new PaceOptions();

    @Mixin
    private ReportOptions reports = new ReportOptions();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        Screen screen = new Screen(command.getOut(), Ansi.AUTO);
        try {
            remote.check(command);
            ClusterGenerator generator = checked();
            List<Pod> pods = questions.pods(generator);
            LoadReport report = remote.isOn() ? onRunningServer(pods, screen) : onOwnServer(generator, pods, screen);
            ReportText.write(report, screen);
            reports.write(report, LoadReport.class, "report.html");
            return report.isWell() ? ExitCodes.OK : ExitCodes.NOT_WELL;
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(command, String.valueOf(wrong.getMessage()), wrong);
        } catch (PlacementException problem) {
            String where = remote.isOn() ? remote.server() : "the server that was started";
            throw new CommandFailure(where + ": " + problem.getMessage());
        } finally {
            command.getOut().flush();
        }
    }

    private ClusterGenerator checked() {
        pace.check();
        questions.check();
        reports.check();
        if (pace.isStream() && questions.isWithoutStream()) {
            throw new IllegalArgumentException(
                    "--stream requires --call evaluate, because the other calls have no stream");
        }
        ClusterGenerator generator = cluster.cluster();
        if (generator.workloads().isEmpty()) {
            throw new IllegalArgumentException("--pods must be at least 1, was 0");
        }
        return generator;
    }

    private LoadReport onOwnServer(ClusterGenerator generator, List<Pod> pods, Screen screen)
            throws IOException, InterruptedException {
        screen.line("Feeding a generated cluster to a server in a separate JVM: " + generator.words());
        try (SeparateServer started = SeparateServer.start();
                PlacementClient client = RemotePlacement.connect(started.target());
                DirectChannel connection = new DirectChannel(started.target())) {
            ClusterFill.send(generator, client, screen);
            return run(started.target(), client, connection, pods, screen);
        }
    }

    private LoadReport onRunningServer(List<Pod> pods, Screen screen) throws IOException, InterruptedException {
        try (PlacementClient client = remote.open(
                        settings -> settings.deadline(pace.timeout()).build());
                DirectChannel connection = remote.open(DirectChannel::new)) {
            return run(remote.server(), client, connection, pods, screen);
        }
    }

    private LoadReport run(
            String target, PlacementClient client, DirectChannel connection, List<Pod> pods, Screen screen)
            throws InterruptedException {
        GetStatusResponse status = client.status();
        Questions<?, ?> asked = questions.questions(pods, client, pace.isStream());
        String start = Instant.now().toString();
        Caller caller = pace.isStream()
                ? new StreamCaller<>(connection.channel(), asked, pace.timeout(), Clock.SYSTEM)
                : new UnaryCaller<>(connection.channel(), asked, pace.timeout());
        LoadRun run = new LoadRun(pace.warmUp(), pace.duration(), pace.timeout(), Clock.SYSTEM, screen);
        if (pace.churn() == 0) {
            LoadResult result = run.run(recording -> loop(caller, recording), caller);
            return report(start, target, status, pods, result, null);
        }
        try (ClusterFeed feed = client.feed()) {
            long begin = System.nanoTime();
            Churn churn = Churn.start(feed, new ChurnPods(pods, ServerNodes.all(client)), pace.churn());
            LoadResult result;
            double seconds;
            try (churn) {
                result = run.run(recording -> loop(caller, recording), caller);
                seconds = (System.nanoTime() - begin) / 1e9;
            }
            return report(start, target, status, pods, result, churn.report(seconds));
        }
    }

    private Loop loop(Caller caller, Recording recording) {
        return pace.loop(Clock.SYSTEM, caller, recording);
    }

    private LoadReport report(
            String start,
            String target,
            GetStatusResponse status,
            List<Pod> pods,
            LoadResult result,
            LoadReport.@Nullable ChurnReport churn) {
        Map<String, Object> settings = new LinkedHashMap<>();
        questions.describe(settings);
        pace.describe(settings);
        Map<String, Object> asked = new LinkedHashMap<>();
        asked.put("target", target);
        asked.put("version", status.getVersion());
        asked.put("nodes", status.getNodeCount());
        asked.put("pods", status.getPodCount());
        int judged = questions.judged(pods);
        return new LoadReport(
                start,
                settings,
                asked,
                result.calls(),
                result.callsPerSecond(),
                result.callsPerSecond() * questions.batch(),
                judged,
                result.callsPerSecond() * judged,
                result.failed(),
                result.errors(),
                Percentiles.of(result.latencies()),
                pace.isOpen() ? Percentiles.of(result.delays()) : null,
                result.seconds(),
                churn);
    }
}
