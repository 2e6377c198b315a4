package io.evenkeel.cli;

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

    static CommandLine commandLine() {
        return Program.of(new Evenkeel());
    }

    public static void main(String[] args) {
        System.exit(Program.run(commandLine(), args));
    }
}
