package io.evenkeel.cli;

import io.evenkeel.commands.Evenkeel;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/** The output and the exit code of a command. */
public record Run(int exitCode, String out, String err) {
    /** Runs the commands in this JVM. */
    public static Run of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine commands = Evenkeel.commandLine();
        commands.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exitCode = commands.execute(arguments);
        return new Run(exitCode, out.toString(), err.toString());
    }

    public static Run withInput(byte[] input, String... arguments) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(input));
        try {
            return of(arguments);
        } finally {
            System.setIn(before);
        }
    }

    public List<String> lines() {
        return out.lines().toList();
    }
}
