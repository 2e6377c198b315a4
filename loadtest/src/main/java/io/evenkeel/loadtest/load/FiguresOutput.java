package io.evenkeel.loadtest.load;

import io.evenkeel.loadtest.text.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The output of a command that measures: standard output, and a file if requested. */
public final class FiguresOutput {
    @Option(names = "--json", paramLabel = "FILE", description = "Also write the figures to this file, as JSON.")
    private @Nullable Path json;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    private CommandLine commandLine() {
        return Objects.requireNonNull(command).commandLine();
    }

    /** Standard output. */
    public Screen screen() {
        return new Screen(commandLine().getOut(), Ansi.AUTO);
    }

    /** An exception that reports wrong usage of the command. */
    public ParameterException wrongUsage(String why) {
        return new ParameterException(commandLine(), why);
    }

    /**
     * Checks that the file can be written, before anything is measured.
     *
     * @throws ParameterException if it cannot be written
     */
    public void check() {
        try {
            OutputFile.requireWritable("--json", json);
        } catch (IllegalArgumentException wrong) {
            throw wrongUsage(String.valueOf(wrong.getMessage()));
        }
    }

    /** Writes the figures to the file, if one was requested. */
    public void write(String figures) throws IOException {
        if (json != null) {
            Files.writeString(json, figures);
        }
    }
}
