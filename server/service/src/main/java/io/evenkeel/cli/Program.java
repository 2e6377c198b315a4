package io.evenkeel.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import picocli.CommandLine;

/**
 * Runs the commands of a program in one way: each knows {@code --version}, exits with one of {@link ExitCodes}, and
 * prints errors as one line on standard error.
 */
public final class Program {
    private Program() {}

    /**
     * The commands of a program.
     *
     * @param top the program's own command, which names its subcommands
     */
    public static CommandLine of(Object top) {
        CommandLine commands = new CommandLine(top);
        shareVersion(commands);
        return commands.setParameterExceptionHandler((error, args) -> wrongUsage(error))
                .setExecutionExceptionHandler((error, command, parsed) -> failure(error, command));
    }

    /** Runs the command that {@code arguments} name, with its output on standard output. Returns its exit code. */
    public static int run(CommandLine commands, String... arguments) {
        return StandardOutput.execute(commands, arguments);
    }

    /** Gives each subcommand the version: picocli asks each command for its own. */
    private static void shareVersion(CommandLine commands) {
        commands.getCommandSpec().versionProvider(new JarVersion());
        commands.getSubcommands().values().forEach(Program::shareVersion);
    }

    private static int wrongUsage(CommandLine.ParameterException error) {
        CommandLine command = error.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        print(command, error.getMessage() + DidYouMean.after(error) + " (see " + name + " --help)");
        return ExitCodes.NOT_DONE;
    }

    private static int failure(Exception error, CommandLine command) {
        if (error instanceof IOException problem) {
            print(command, textOf(problem));
            if (error instanceof CommandFailure failure) {
                failure.details().forEach(command.getErr()::println);
                command.getErr().flush();
            }
            return ExitCodes.NOT_DONE;
        }
        print(command, "internal error: " + error);
        error.printStackTrace(command.getErr());
        command.getErr().flush();
        return ExitCodes.INTERNAL_ERROR;
    }

    private static void print(CommandLine command, String text) {
        String line =
                text.lines().map(String::strip).reduce((a, b) -> a + " " + b).orElse(text);
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + line);
        command.getErr().flush();
    }

    private static String textOf(IOException problem) {
        String message = Objects.requireNonNullElse(problem.getMessage(), problem.toString());
        if (problem instanceof NoSuchFileException) {
            return message + ": no such file";
        }
        return problem instanceof AccessDeniedException ? message + ": permission denied" : message;
    }
}
