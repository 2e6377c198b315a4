package io.evenkeel.cli;

import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options for the output of the commands that ask about a cluster. */
public final class OutputOptions {
    /** The formats, named as they are typed. */
    private enum Format {
        text,
        json
    }

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json",
            defaultValue = "text",
            description = "The output format: text for people, json for programs (default: ${DEFAULT-VALUE}).")
    private Format format = Format.text;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "20",
            description = "Maximum number of rows in each table of the text output (default: ${DEFAULT-VALUE}).")
    private int rows;

    /** The defaults. */
    public OutputOptions() {}

    /** Rejects options with which there is no output. */
    public void check(CommandLine command) {
        if (rows < 1) {
            throw new ParameterException(command, "--rows must be at least 1, was " + rows);
        }
    }

    /** The maximum number of rows in each table. */
    public int rows() {
        return rows;
    }

    /** Prints an answer in the chosen format. */
    public void print(CommandLine command, Supplier<String> text, Supplier<String> json) {
        PrintWriter out = command.getOut();
        if (format == Format.json) {
            out.println(json.get());
        } else {
            out.print(text.get());
        }
        out.flush();
    }

    /** Prints a part of an answer as text; nothing if the format is JSON, which is one document. */
    public void printText(CommandLine command, Supplier<String> text) {
        if (format == Format.text) {
            command.getOut().print(text.get());
            command.getOut().flush();
        }
    }

    /** Prints a warning to standard error. */
    public static void warn(CommandLine command, String message) {
        PrintWriter err = command.getErr();
        err.println(command.getCommandSpec().qualifiedName() + ": warning: " + Paragraphs.printable(message));
        err.flush();
    }
}
