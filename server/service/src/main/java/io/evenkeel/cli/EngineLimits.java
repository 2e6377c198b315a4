package io.evenkeel.cli;

import io.evenkeel.engine.model.EngineOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much the server keeps to answer sooner. */
final class EngineLimits {
    @Option(
            names = "--max-plans",
            paramLabel = "N",
            defaultValue = "65536",
            description = "Kinds of pods whose plans are kept; beyond it those not used lately go first (default: "
                    + "${DEFAULT-VALUE}).")
    private int plans;

    @Option(
            names = "--max-plan-bytes",
            paramLabel = "BYTES",
            description =
                    "What plans may take, with the selectors, node conditions and counts that they rest on and the pods"
                            + " that are known by their bytes, before those not used lately go (default: a quarter of the heap).")
    private @Nullable Long planBytes;

    @Option(
            names = "--tombstones",
            paramLabel = "N",
            defaultValue = "65536",
            description = "Deleted pods that are remembered, so that a late event does not bring them back (default: "
                    + "${DEFAULT-VALUE}).")
    private int tombstones;

    EngineLimits() {}

    /** The options asked for. */
    EngineOptions options() {
        EngineOptions options = EngineOptions.defaults().withMaxPlans(plans).withTombstones(tombstones);
        return planBytes == null ? options : options.withMaxPlanBytes(planBytes);
    }
}
