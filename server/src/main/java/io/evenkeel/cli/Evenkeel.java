package io.evenkeel.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of the server's runnable jar. */
@Command(
        name = "evenkeel",
        description = "Exact answers about pod topology spread.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = JarVersion.class)
public final class Evenkeel implements Runnable {
    private Evenkeel() {}

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    public static void main(String[] args) {
        System.exit(new CommandLine(new Evenkeel()).execute(args));
    }
}
