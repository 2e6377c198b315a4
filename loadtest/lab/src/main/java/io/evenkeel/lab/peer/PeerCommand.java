package io.evenkeel.lab.peer;

import io.evenkeel.cli.ExitCodes;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Resources;
import io.evenkeel.loadtest.cluster.ShapeOptions;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.local.Checkout;
import io.evenkeel.loadtest.local.GoProgram;
import io.evenkeel.loadtest.local.LocalEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code evenkeel lab peer}: runs kube-scheduler's plugin and the engine on the same cluster and incoming
 * pods, compares their answers, and shows their times.
 */
@Command(
        name = "peer",
        description =
                "Compare the engine's answers and times with those of kube-scheduler's own plugin, with the same cluster and pods on the same machine.",
        exitCodeList = {
            "0:every verdict and score is the same, or the plugin cannot be built because Go is not installed",
            "1:some verdicts or scores differ",
            "2:bad usage, or the plugin's program cannot be built or run"
        })
public final class PeerCommand implements Callable<Integer> {
    private static final int MAX_CALLS = 100_000;

    /** The engine's calls are shorter, so it makes this many for each call of the plugin. */
    private static final int ENGINE_CALLS_FOR_ONE = 100;

    @Mixin
    private ShapeOptions shape = new ShapeOptions();

    @Option(
            names = "--calls",
            paramLabel = "N",
            defaultValue = "100",
            description = "Timed calls of the plugin per question; the engine gets a hundred times as many"
                    + " (default: ${DEFAULT-VALUE}).")
    private int calls;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    @Option(
            names = "--work",
            paramLabel = "DIR",
            description = "The directory for building the plugin's program and for the files that it reads and writes"
                    + " (default: loadtest/target/peer).")
    private @Nullable Path work;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (calls < 1 || calls > MAX_CALLS) {
            throw output.wrongUsage("--calls must be from 1 to " + MAX_CALLS + ", was " + calls);
        }
        // Without allocatable resources, no node would take another pod.
        ClusterGenerator cluster = shape.clusterWithPods().withNodes(Resources::of);
        PrintWriter out = output.out();
        out.println(cluster.words() + " (seed " + cluster.shape().seed() + ")");
        PeerReport report = compare(cluster, out);
        report.show(out);
        output.write(FiguresOutput.ofThisMachine(
                Map.of("cluster", cluster.words(), "rows", report.rows(), "differences", report.differences())));
        return report.differences().isEmpty() ? ExitCodes.OK : ExitCodes.NOT_WELL;
    }

    private PeerReport compare(ClusterGenerator cluster, PrintWriter out) throws IOException, InterruptedException {
        try (LocalEngine local = LocalEngine.holding(cluster)) {
            EngineSide engine = new EngineSide(local);
            List<PeerQuestion> questions = PeerQuestion.ofEachShape(cluster, engine);
            Map<String, PeerAnswer> plugin = Map.of();
            if (GoProgram.canBeBuilt()) {
                Path home = Checkout.loadtest("peer/go.mod");
                Path files = work == null ? home.resolve("target/peer") : work.toAbsolutePath();
                plugin = new PluginSide(home.resolve("peer"), files, out).ask(cluster.objects(), questions, calls);
            } else {
                out.println("No go command on the PATH; skipping kube-scheduler's plugin.");
            }
            out.println("Evenkeel's side ...");
            int engineCalls = calls * ENGINE_CALLS_FOR_ONE;
            for (PeerQuestion question : questions) {
                engine.ask(question, 1, engineCalls);
            }
            PeerReport report = new PeerReport();
            for (PeerQuestion question : questions) {
                report.add(question, plugin.get(question.name()), engine.ask(question, engineCalls, engineCalls));
            }
            return report;
        }
    }
}
