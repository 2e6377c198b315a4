package io.evenkeel.cli;

import io.evenkeel.engine.model.EngineOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that bound how much the engine keeps in memory. */
final class EngineLimits {
    @Option(
            names = "--max-plans",
            paramLabel = "N",
            defaultValue = "65536",
            description =
                    "Plans of pods that are kept; beyond this number, plans that were not used for long are dropped (default: "
                            + "${DEFAULT-VALUE}).")
    private int plans;

    @Option(
            names = "--max-plan-bytes",
            paramLabel = "BYTES",
            description = "Memory for plans, for the selectors, node conditions and counts that they use, and for pods"
                    + " that are recognised by their bytes; beyond it, plans that were not used for long are dropped"
                    + " (default: a quarter of the heap).")
    private @Nullable Long planBytes;

    @Option(
            names = "--tombstones",
            paramLabel = "N",
            defaultValue = "65536",
            description = "Deleted pods that are remembered, so that a late event does not bring them back (default: "
                    + "${DEFAULT-VALUE}).")
    private int tombstones;

    EngineLimits() {}

    /** Refuses bounds with which no engine can work. */
    void check(OptionBounds bounds) {
        bounds.requireAtLeast(1, "--max-plans");
        bounds.requireAtLeast(0, "--max-plan-bytes", "--tombstones");
    }

    /** The settings of the engine that the options choose, after {@link #check}. */
    EngineOptions options() {
        EngineOptions options = EngineOptions.defaults().withMaxPlans(plans).withTombstones(tombstones);
        return planBytes == null ? options : options.withMaxPlanBytes(planBytes);
    }
}
