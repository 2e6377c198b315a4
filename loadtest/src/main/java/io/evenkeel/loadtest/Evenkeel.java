package io.evenkeel.loadtest;

import io.evenkeel.cli.DidYouMean;
import io.evenkeel.cli.JarVersion;
import io.evenkeel.cli.StandardOutput;
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

/** The entry point of the runnable jar that holds the commands which need a client. */
@Command(
        name = "evenkeel",
        description = "Commands that measure, check and show a placement server.",
        mixinStandardHelpOptions = true,
        versionProvider = JarVersion.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {DemoCommand.class, ConformanceCommand.class, LoadCommand.class, BenchCommand.class})
public final class Evenkeel implements Runnable {
    private static final int INTERNAL_ERROR = 70;
    private static final int NOT_WRITTEN = 2;

    /** Held, since the log manager does not. */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    @Spec
    private @Nullable CommandSpec spec;

    private Evenkeel() {}

    @Override
    public void run() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        line.usage(line.getOut());
    }

    public static void main(String[] args) {
        // It warns, with a stack trace, of a host that is not known; the command says so in a line.
        GRPC.setLevel(Level.SEVERE);
        System.exit(StandardOutput.execute(commandLine(), NOT_WRITTEN, args));
    }

    /** Errors go to stderr in one line; only what should never happen brings its stack along. */
    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Evenkeel());
        shareVersion(line);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler((problem, args) -> {
            String command = problem.getCommandLine().getCommandSpec().qualifiedName();
            problem.getCommandLine()
                    .getErr()
                    .println(command + ": " + problem.getMessage() + DidYouMean.after(problem) + " (see " + command
                            + " --help)");
            return CommandLine.ExitCode.USAGE;
        });
        line.setExecutionExceptionHandler((problem, command, args) -> {
            command.getErr().println(command.getCommandSpec().qualifiedName() + ": internal error: " + problem);
            problem.printStackTrace(command.getErr());
            return INTERNAL_ERROR;
        });
        return line;
    }

    /** picocli asks each command for its own. */
    private static void shareVersion(CommandLine line) {
        for (CommandLine command : line.getSubcommands().values()) {
            command.getCommandSpec().versionProvider(line.getCommandSpec().versionProvider());
            shareVersion(command);
        }
    }
}
