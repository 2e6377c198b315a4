package io.evenkeel.loadtest.demo;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.client.PlacementException;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.SizeOptions;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.local.LocalServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code evenkeel demo}: starts a server, feeds it a generated cluster, shows its answers, and checks those
 * whose correct result is known.
 */
@Command(
        name = "demo",
        description = "Start a server, feed it a generated cluster, and show its answers.",
        mixinStandardHelpOptions = true,
        exitCodeList = {
            "0:every answer is as expected",
            "1:some answers are not",
            "2:bad usage, or the demo could not run"
        })
public final class DemoCommand implements Callable<Integer> {
    @Mixin
    private SizeOptions size = new SizeOptions();

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "The seed. Each seed gives a different cluster (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--stay", description = "Keep serving the generated cluster afterwards.")
    private boolean stay;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        ClusterGenerator generator = size.cluster(seed, WorkloadSizes.MIXED);
        PrintWriter out = command.getOut();
        try (LocalServer server = LocalServer.start()) {
            out.println("Evenkeel: exact answers about pod topology spread, from counts kept up to date");
            out.println("Server in this process, called over gRPC at " + server.target());
            boolean isWell = new Demo(generator, server.client(), out).show();
            if (stay) {
                out.println("Still serving the generated cluster at " + server.target() + "; stop with Ctrl-C.");
                server.awaitTermination();
            }
            return isWell ? ExitCodes.OK : ExitCodes.NOT_WELL;
        } catch (PlacementException problem) {
            throw new CommandFailure(String.valueOf(problem.getMessage()));
        }
    }
}
