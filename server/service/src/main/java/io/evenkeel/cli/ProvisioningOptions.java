package io.evenkeel.cli;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.placement.Instance;
import io.evenkeel.provisioning.ProvisioningController;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code serve} for ProvisioningRequests. */
final class ProvisioningOptions {
    @Option(
            names = "--provisioning-class",
            paramLabel = "CLASS",
            description =
                    "Answer the ProvisioningRequests of this class, such as check-capacity.evenkeel.io: whether their"
                            + " pods fit. Needs --kube, and the permissions of deploy/provisioning.yaml (default: none).")
    private @Nullable String provisioningClass;

    @Option(
            names = "--provisioning-booking",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "10m",
            description = "How long the room of a ProvisioningRequest is booked; with --provisioning-class (default:"
                    + " ${DEFAULT-VALUE}).")
    private Duration booking = Duration.ZERO;

    ProvisioningOptions() {}

    /** Rejects options that cannot be combined. */
    void check(CommandLine command, @Nullable ClusterAccess followed) {
        if (provisioningClass != null && followed == null) {
            throw new ParameterException(command, "--provisioning-class needs --kube");
        }
    }

    /** Starts to answer requests; null if no class is given. */
    @Nullable
    ProvisioningController start(@Nullable ClusterAccess followed, Instance instance, Consumer<String> log) {
        return followed == null || provisioningClass == null
                ? null
                : ProvisioningController.start(
                        followed,
                        PlacementClient.over(new InstanceTransport(instance), Duration.ofDays(1)),
                        provisioningClass,
                        booking,
                        log);
    }
}
