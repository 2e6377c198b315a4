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

/** Where a command that measures puts its figures: on standard output, and in a file where one is asked for. */
public final class FiguresOutput {
    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there too.")
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

    /** That the command was called wrongly. */
    public ParameterException wrongUsage(String why) {
        return new ParameterException(commandLine(), why);
    }

    /**
     * Looks whether the file can be written, before anything is measured.
     *
     * @throws ParameterException where it cannot be
     */
    public void check() {
        try {
            OutputFile.requireWritable("--json", json);
        } catch (IllegalArgumentException wrong) {
            throw wrongUsage(String.valueOf(wrong.getMessage()));
        }
    }

    /** Writes the figures where a file was asked for. */
    public void write(String figures) throws IOException {
        if (json != null) {
            Files.writeString(json, figures);
        }
    }
}
