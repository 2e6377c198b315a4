package io.evenkeel.cli;

import io.evenkeel.objects.SimilarNames;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Runs the commands of a program. Each supports {@code --version}, exits with one of {@link ExitCodes}, and prints
 * errors as one line on standard error.
 */
public final class Program {
    private Program() {}

    /**
     * Returns the commands of a program.
     *
     * @param top the program's main command, which names its subcommands
     */
    public static CommandLine of(Object top) {
        return prepare(new CommandLine(top));
    }

    /** Adds what all commands have in common. */
    static CommandLine prepare(CommandLine commands) {
        shareSettings(commands);
        EnvironmentOptions.describe(commands);
        return withErrors(commands, EnvironmentOptions.none());
    }

    private static CommandLine withErrors(CommandLine commands, EnvironmentOptions presets) {
        return commands.setParameterExceptionHandler((error, args) -> wrongUsage(error, presets))
                .setExecutionExceptionHandler((error, command, parsed) -> failure(error, command, presets));
    }

    /** Runs the command that {@code arguments} name, writing to standard output. Returns its exit code. */
    public static int run(CommandLine commands, String... arguments) {
        return run(commands, System.getenv(), given -> StandardOutput.execute(commands, given), arguments);
    }

    /** Runs a command with arguments and returns its exit code. */
    interface Execution {
        int execute(String... arguments);
    }

    /** Runs a command with the options that {@code environment} presets for it. */
    static int run(CommandLine commands, Map<String, String> environment, Execution execution, String... arguments) {
        EnvironmentOptions presets;
        try {
            presets = EnvironmentOptions.read(commands, environment, arguments);
        } catch (CommandLine.ParameterException e) {
            return wrongUsage(e, EnvironmentOptions.none());
        }
        withErrors(commands, presets);
        return execution.execute(presets.arguments());
    }

    /** Gives each subcommand what picocli asks each command for. */
    private static void shareSettings(CommandLine commands) {
        CommandSpec command = commands.getCommandSpec();
        command.versionProvider(Program::version);
        if (!command.usageMessage().exitCodeList().isEmpty()) {
            command.usageMessage().exitCodeListHeading("%nExit codes:%n");
        }
        commands.getSubcommands().values().forEach(Program::shareSettings);
    }

    /** The version in the manifest of the jar that contains this class. */
    private static String[] version() {
        String version = Program.class.getPackage().getImplementationVersion();
        return new String[] {"evenkeel " + Objects.requireNonNullElse(version, "(not from a jar)")};
    }

    private static int wrongUsage(CommandLine.ParameterException error, EnvironmentOptions presets) {
        CommandLine command = error.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        // Some messages of picocli begin with this, others do not.
        String message = String.valueOf(error.getMessage()).replaceFirst("^Error: ", "");
        print(command, message + suggestion(error) + presets.after(message) + " (see " + name + " --help)");
        return ExitCodes.NOT_DONE;
    }

    /** Suggests an option or command similar to an unknown one: {@code ; did you mean --cluster?}, or nothing. */
    private static String suggestion(CommandLine.ParameterException error) {
        CommandLine command = error.getCommandLine();
        List<String> known = new ArrayList<>(command.getSubcommands().keySet());
        command.getCommandSpec().options().forEach(option -> known.addAll(List.of(option.names())));
        boolean isNamed = error instanceof CommandLine.UnmatchedArgumentException;
        for (String typed : command.getUnmatchedArguments()) {
            String near = SimilarNames.nearest(typed.replaceFirst("=.*", ""), known);
            if (near != null) {
                return isNamed ? SimilarNames.question(near) : "; " + typed + " is unknown: did you mean " + near + "?";
            }
        }
        return "";
    }

    private static int failure(Exception error, CommandLine command, EnvironmentOptions presets) {
        if (error instanceof IOException problem) {
            String message = textOf(problem);
            print(command, message + presets.after(message));
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
        boolean namesTheFile = problem instanceof NoSuchFileException || problem instanceof AccessDeniedException;
        return namesTheFile ? problem.getMessage() + ": " + reason(problem) : reason(problem);
    }

    /** Why a file cannot be used, without the name of the file. */
    static String reason(IOException problem) {
        if (problem instanceof NoSuchFileException) {
            return "no such file";
        }
        return problem instanceof AccessDeniedException
                ? "permission denied"
                : Objects.requireNonNullElse(problem.getMessage(), problem.toString());
    }
}
