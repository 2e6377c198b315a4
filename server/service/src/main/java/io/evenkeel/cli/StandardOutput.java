package io.evenkeel.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/**
 * The standard output of a program, in UTF-8. It remembers why a write failed, because text writers hide such failures:
 * otherwise a command would report success although its answer was not written.
 */
final class StandardOutput extends OutputStream {
    private static final String BROKEN_PIPE = "Broken pipe";

    private final OutputStream descriptor = new FileOutputStream(FileDescriptor.out);
    private @Nullable IOException failure;

    private StandardOutput() {}

    /** Runs a command with its output on standard output. */
    static int execute(CommandLine commands, String... arguments) {
        StandardOutput output = new StandardOutput();
        PrintWriter text =
                new PrintWriter(new OutputStreamWriter(new BufferedOutputStream(output), StandardCharsets.UTF_8), true);
        int exitCode = commands.setOut(text).execute(arguments);
        text.flush();
        IOException failure = output.failure;
        if (failure == null) {
            return exitCode;
        }
        if (BROKEN_PIPE.equals(failure.getMessage())) {
            // `| head` closes the pipe on purpose, so there is no error to report.
            return exitCode == ExitCodes.OK ? ExitCodes.NOBODY_READS : exitCode;
        }
        commands.getErr().println(name(commands) + ": cannot write to standard output: " + failure.getMessage());
        commands.getErr().flush();
        return exitCode == ExitCodes.OK ? ExitCodes.NOT_DONE : exitCode;
    }

    /** The name of the command that was run. */
    private static String name(CommandLine commands) {
        ParseResult parsed = commands.getParseResult();
        while (parsed != null && parsed.hasSubcommand()) {
            parsed = parsed.subcommand();
        }
        return (parsed == null ? commands.getCommandSpec() : parsed.commandSpec()).qualifiedName();
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        try {
            descriptor.write(bytes, from, length);
        } catch (IOException e) {
            failure = failure == null ? e : failure;
            throw e;
        }
    }
}
