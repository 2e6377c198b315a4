package io.evenkeel.loadtest.load;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options for how long each figure is measured, and what is measured is warmed up before. */
public final class TimeOptions {
    private static final int MAX_SECONDS = 600;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "3",
            description = "How long to measure each figure (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            defaultValue = "10",
            description = "How many seconds to warm up before each figure is measured (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /**
     * Checks the options, before anything is measured.
     *
     * @throws ParameterException if one is out of range
     */
    public void check() {
        if (!(seconds > 0 && seconds <= MAX_SECONDS && warmUp >= 0 && warmUp <= MAX_SECONDS)) {
            throw new ParameterException(
                    Objects.requireNonNull(command).commandLine(),
                    "--seconds must be more than 0, --warmup at least 0, and both at most " + MAX_SECONDS + ", were "
                            + seconds + " and " + warmUp);
        }
    }

    /** How long to measure. */
    public long nanos() {
        return Math.round(seconds * 1e9);
    }

    /** How long to warm up. */
    public long warmUpNanos() {
        return Math.round(warmUp * 1e9);
    }
}
