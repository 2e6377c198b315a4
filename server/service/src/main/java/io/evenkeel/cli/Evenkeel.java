package io.evenkeel.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The entry point of the server's runnable jar. */
@Command(
        name = "evenkeel",
        description = "Exact answers about pod topology spread.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = JarVersion.class,
        subcommands = {Serve.class, Place.class, Explain.class})
public final class Evenkeel implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    private Evenkeel() {}

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /**
     * The commands, with errors in one line on standard error: exit code 2 for wrong usage, 1 for what failed
     * otherwise.
     */
    static CommandLine commandLine() {
        return ErrorLines.on(new CommandLine(new Evenkeel()));
    }

    public static void main(String[] args) {
        System.exit(StandardOutput.execute(commandLine(), CommandLine.ExitCode.SOFTWARE, args));
    }
}
