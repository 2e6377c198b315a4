package io.evenkeel.loadtest;

import io.evenkeel.cli.JarVersion;
import io.evenkeel.loadtest.bench.BenchCommand;
import io.evenkeel.loadtest.conformance.ConformanceCommand;
import io.evenkeel.loadtest.demo.DemoCommand;
import io.evenkeel.loadtest.load.LoadCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;

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

    private Evenkeel() {}

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    public static void main(String[] args) {
        // In every locale: times are given in µs.
        CommandLine line = commandLine();
        line.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        System.exit(line.execute(args));
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
                    .println(command + ": " + problem.getMessage() + " (see " + command + " --help)");
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
