package io.evenkeel.cli;

import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.ConfigurationException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that name the API server of a cluster. */
final class KubeOptions {
    @Option(
            names = "--kube",
            description = "Read the cluster from the API server of the kubeconfig or, in a pod, of its service account."
                    + " deploy/rbac.yaml grants the permissions that are needed.")
    private boolean on;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "The kubeconfig for --kube (default: the files in $KUBECONFIG, otherwise ~/.kube/config).")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "The context of the kubeconfig (default: its current one).")
    private @Nullable String context;

    KubeOptions() {}

    boolean isOn() {
        return on;
    }

    /** The cluster that the options name, or null. */
    @Nullable
    ClusterAccess access(CommandLine command) throws CommandFailure {
        if (!on) {
            if (kubeconfig != null || context != null) {
                throw new ParameterException(command, "--kubeconfig and --context need --kube");
            }
            return null;
        }
        try {
            return ClusterAccess.of(kubeconfig, context);
        } catch (ConfigurationException e) {
            throw new CommandFailure("--kube: " + e.getMessage());
        }
    }
}
