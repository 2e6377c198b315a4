package io.evenkeel.loadtest.bench;

import io.evenkeel.loadtest.decisions.DecisionsCommand;
import io.evenkeel.loadtest.engine.EngineBenchCommand;
import io.evenkeel.loadtest.engine.SimulateCommand;
import io.evenkeel.loadtest.feed.FeedCommand;
import io.evenkeel.loadtest.rpc.OverloadCommand;
import io.evenkeel.loadtest.rpc.RpcCommand;
import picocli.CommandLine.Command;

/** The command {@code evenkeel bench}. Its subcommands run the measurements. */
@Command(
        name = "bench",
        description = "Measure how fast answers are, in the engine and compared with a gRPC echo.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            EngineBenchCommand.class,
            DecisionsCommand.class,
            FeedCommand.class,
            OverloadCommand.class,
            RpcCommand.class,
            SimulateCommand.class,
            ClusterCommand.class
        })
public final class BenchCommand {}
