package io.evenkeel.loadtest;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** The output of a command of the runnable jar, and its exit code. */
public record CommandRun(int exitCode, String output, String errors) {

    /** Runs a command of the load tests in this process. */
    public static CommandRun of(String... args) {
        return of(LoadtestMain.commandLine(), args);
    }

    /** Runs a command line in this process. */
    public static CommandRun of(CommandLine line, String... args) {
        StringWriter output = new StringWriter();
        StringWriter errors = new StringWriter();
        line.setOut(new PrintWriter(output));
        line.setErr(new PrintWriter(errors));
        int exitCode = line.execute(args);
        line.getOut().flush();
        line.getErr().flush();
        return new CommandRun(exitCode, output.toString(), errors.toString());
    }

    /** The last line of the output. */
    public String lastLine() {
        String text = output.stripTrailing();
        return text.substring(text.lastIndexOf('\n') + 1).strip();
    }
}
