package io.evenkeel.commands;

import io.evenkeel.cli.Explain;
import io.evenkeel.cli.Program;
import io.evenkeel.cli.Serve;
import io.evenkeel.operations.ServerLogs;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The main class of the server's runnable jar: the command {@code evenkeel} with its subcommands. */
@Command(
        name = "evenkeel",
        description = "Exact answers about pod topology spread.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            Explain.class,
            Place.class,
            Serve.class,
            Preempt.class,
            Unblocked.class,
            Skew.class,
            Rebalance.class,
            Estimate.class,
            Simulate.class,
            Drain.class,
            Victims.class
        })
public final class Evenkeel implements Runnable {
    private static final String LOG_MANAGER = "java.util.logging.manager";

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    private Evenkeel() {}

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** The commands, which are not yet parsed. */
    public static CommandLine commandLine() {
        return Program.of(new Evenkeel());
    }

    public static void main(String[] args) {
        // Before anything uses the JDK's logging, which reads this only once.
        if (System.getProperty(LOG_MANAGER) == null) {
            System.setProperty(LOG_MANAGER, ServerLogs.class.getName());
        }
        System.exit(Program.run(commandLine(), args));
    }
}
