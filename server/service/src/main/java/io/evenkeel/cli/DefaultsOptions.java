package io.evenkeel.cli;

import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.manifest.SchedulerConfiguration;
import io.evenkeel.placement.call.ProfileDefaults;
import io.evenkeel.v1.DefaultConstraints;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that choose the default constraints of the cluster. */
public final class DefaultsOptions {
    /** The defaults that can be chosen by name. */
    enum Named {
        system,
        none
    }

    @Option(
            names = "--defaults",
            paramLabel = "system|none",
            description =
                    "Default constraints for pods without their own: kube-scheduler's built-in ones (system, the default)"
                            + " or none.")
    private @Nullable Named named;

    @Option(
            names = "--scheduler-config",
            paramLabel = "FILE",
            description = "Read the default constraints of each profile from the PodTopologySpreadArgs of a"
                    + " KubeSchedulerConfiguration file.")
    private @Nullable Path schedulerConfiguration;

    /** Those of the system. */
    public DefaultsOptions() {}

    /** The default constraints that the options choose, for a request; null for the server's own. */
    @Nullable
    DefaultConstraints ofRequest(CommandLine command) {
        if (schedulerConfiguration != null) {
            throw new ParameterException(
                    command, "--scheduler-config cannot be combined with --server: start the server with it instead");
        }
        if (named == null) {
            return null;
        }
        return DefaultConstraints.newBuilder()
                .setType(
                        named == Named.system ? DefaultConstraints.Type.TYPE_SYSTEM : DefaultConstraints.Type.TYPE_LIST)
                .build();
    }

    /** The default constraints that the options choose. */
    ProfileDefaults read() throws IOException {
        if (schedulerConfiguration != null) {
            try {
                return new ProfileDefaults(SchedulerConfiguration.read(schedulerConfiguration), SpreadDefaults.SYSTEM);
            } catch (IOException e) {
                throw ClusterInput.named(schedulerConfiguration.toString(), e);
            }
        }
        return ProfileDefaults.of(named == Named.none ? SpreadDefaults.NONE : SpreadDefaults.SYSTEM);
    }
}
