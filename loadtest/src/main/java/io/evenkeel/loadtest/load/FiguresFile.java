package io.evenkeel.loadtest.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option of commands that measure, by which their figures are written to a file. */
public final class FiguresFile {
    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there too.")
    private @Nullable Path json;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /**
     * Looks whether it can be written, before anything is measured.
     *
     * @throws ParameterException where it cannot be
     */
    public void check() {
        try {
            OutputFile.requireWritable("--json", json);
        } catch (IllegalArgumentException wrong) {
            CommandLine line = Objects.requireNonNull(command).commandLine();
            throw new ParameterException(line, String.valueOf(wrong.getMessage()), wrong);
        }
    }

    /** Writes the figures where a file was asked for. */
    public void write(String figures) throws IOException {
        if (json != null) {
            Files.writeString(json, figures);
        }
    }
}
