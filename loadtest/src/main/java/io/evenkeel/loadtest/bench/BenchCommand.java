package io.evenkeel.loadtest.bench;

import io.evenkeel.loadtest.engine.EngineBenchCommand;
import io.evenkeel.loadtest.feed.FeedCommand;
import io.evenkeel.loadtest.peer.PeerCommand;
import io.evenkeel.loadtest.rpc.RpcCommand;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code evenkeel bench}. Its subcommands run the measurements. */
@Command(
        name = "bench",
        description = "Measure how fast answers are, compared with kube-scheduler's plugin and a gRPC echo.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            EngineBenchCommand.class,
            FeedCommand.class,
            PeerCommand.class,
            RpcCommand.class,
            ClusterCommand.class
        })
public final class BenchCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(Objects.requireNonNull(spec).commandLine(), "a command must be given");
    }
}
