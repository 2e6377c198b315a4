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
                    "Maximum number of cached pod plans; beyond it, the least recently used are evicted (default: "
                            + "${DEFAULT-VALUE}).")
    private int plans;

    @Option(
            names = "--max-plan-bytes",
            paramLabel = "BYTES",
            description = "Memory for cached plans, including their selectors, node conditions and counts, and for pods"
                    + " recognised by their bytes; beyond it, the least recently used plans are evicted"
                    + " (default: a quarter of the heap).")
    private @Nullable Long planBytes;

    @Option(
            names = "--tombstones",
            paramLabel = "N",
            defaultValue = "65536",
            description = "Number of deleted pods to remember, so that late events do not restore them (default: "
                    + "${DEFAULT-VALUE}).")
    private int tombstones;

    EngineLimits() {}

    /** Rejects bounds with which no engine can work. */
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
