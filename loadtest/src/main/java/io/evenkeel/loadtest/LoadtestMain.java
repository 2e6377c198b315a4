package io.evenkeel.loadtest;

import io.evenkeel.cli.Program;
import io.evenkeel.loadtest.bench.BenchCommand;
import io.evenkeel.loadtest.conformance.ConformanceCommand;
import io.evenkeel.loadtest.demo.DemoCommand;
import io.evenkeel.loadtest.load.LoadCommand;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Main class of the load test's runnable jar. Its commands measure, check and demonstrate a server. */
@Command(
        name = "evenkeel",
        description = "Commands that measure, check and demonstrate a placement server.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {DemoCommand.class, ConformanceCommand.class, LoadCommand.class, BenchCommand.class})
public final class LoadtestMain implements Runnable {
    /** A field, because the log manager holds loggers weakly and a collected logger loses its level. */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    @Spec
    private @Nullable CommandSpec spec;

    private LoadtestMain() {}

    @Override
    public void run() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        line.usage(line.getOut());
    }

    public static void main(String[] args) {
        // gRPC logs a warning with a stack trace for an unknown host; the command reports it in one line.
        GRPC.setLevel(Level.SEVERE);
        System.exit(Program.run(commandLine(), args));
    }

    static CommandLine commandLine() {
        return Program.of(new LoadtestMain()).setCaseInsensitiveEnumValuesAllowed(true);
    }
}
