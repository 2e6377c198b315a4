package io.evenkeel.lab;

import io.evenkeel.cli.Program;
import io.evenkeel.lab.kube.KubeCommand;
import io.evenkeel.lab.peer.PeerCommand;
import io.evenkeel.lab.scheduler.SchedulerCommand;
import io.evenkeel.lab.stalls.StallsCommand;
import io.evenkeel.lab.start.StartCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code evenkeel lab}, whose subcommands run measurements that need a checkout. */
@Command(
        name = "evenkeel lab",
        description = "Run the measurements that need a checkout.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            KubeCommand.class,
            PeerCommand.class,
            SchedulerCommand.class,
            StallsCommand.class,
            StartCommand.class
        })
public final class Lab {
    private Lab() {}

    public static void main(String[] args) {
        System.exit(Program.run(commandLine(), args));
    }

    /** The commands of the lab, for a program or a test. */
    public static CommandLine commandLine() {
        return Program.of(new Lab()).setCaseInsensitiveEnumValuesAllowed(true);
    }
}
