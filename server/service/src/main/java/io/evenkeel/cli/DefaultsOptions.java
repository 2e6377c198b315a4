package io.evenkeel.cli;

import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.manifest.SchedulerConfiguration;
import io.evenkeel.placement.call.ProfileDefaults;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that choose the default constraints of the cluster. */
final class DefaultsOptions {
    /** The defaults that can be chosen by name, without a file. */
    enum Named {
        system,
        none
    }

    @Option(
            names = "--defaults",
            paramLabel = "system|none",
            description =
                    "Default constraints, for pods that have none of their own: those of kube-scheduler (system, the default)"
                            + " or none.")
    private @Nullable Named named;

    @Option(
            names = "--scheduler-config",
            paramLabel = "FILE",
            description = "Read the default constraints of each profile from the PodTopologySpreadArgs of a"
                    + " KubeSchedulerConfiguration file.")
    private @Nullable Path schedulerConfiguration;

    DefaultsOptions() {}

    /** The default constraints that the options choose. */
    ProfileDefaults read() throws IOException {
        if (schedulerConfiguration != null) {
            return new ProfileDefaults(SchedulerConfiguration.read(schedulerConfiguration), SpreadDefaults.SYSTEM);
        }
        return ProfileDefaults.of(named == Named.none ? SpreadDefaults.NONE : SpreadDefaults.SYSTEM);
    }
}
