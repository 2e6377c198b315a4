package io.evenkeel.loadtest;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of the runnable jar that holds the commands which need a client. */
@Command(
        name = "evenkeel",
        description = "Commands that measure, check and show a placement server.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
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
