package io.evenkeel.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import picocli.CommandLine;

/** Errors of commands, each in one line on standard error. */
final class ErrorLines {
    private ErrorLines() {}

    /** Has {@code commands} and their subcommands report so; exit code 2 for wrong usage, 1 for anything else. */
    static CommandLine on(CommandLine commands) {
        return commands.setParameterExceptionHandler((error, args) -> {
                    CommandLine command = error.getCommandLine();
                    String name = command.getCommandSpec().qualifiedName();
                    print(command, name, textOf(error) + DidYouMean.after(error) + " (see " + name + " --help)");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((error, command, parsed) -> {
                    print(command, command.getCommandSpec().qualifiedName(), textOf(error));
                    return CommandLine.ExitCode.SOFTWARE;
                });
    }

    private static void print(CommandLine command, String name, String text) {
        command.getErr()
                .println(name + ": "
                        + text.lines()
                                .map(String::strip)
                                .reduce((a, b) -> a + " " + b)
                                .orElse(text));
        command.getErr().flush();
    }

    private static String textOf(Exception error) {
        String message = Objects.requireNonNullElse(error.getMessage(), error.toString());
        if (error instanceof NoSuchFileException) {
            return message + ": no such file";
        }
        if (error instanceof AccessDeniedException) {
            return message + ": permission denied";
        }
        boolean meantForPeople = error instanceof IOException || error instanceof CommandLine.ParameterException;
        return meantForPeople ? message : error.toString();
    }
}
