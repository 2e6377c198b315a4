package io.evenkeel.cli;

import io.evenkeel.kube.ClusterAccess;
import io.evenkeel.kube.ConfigurationException;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that name a cluster by its API server. */
final class KubeOptions {
    @Option(
            names = "--kube",
            description = "The cluster is that of the kubeconfig or, in a pod, that of its service account. It is read"
                    + " from its API server, with the rights that deploy/rbac.yaml grants.")
    private boolean on;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "The kubeconfig for --kube (default: those of $KUBECONFIG, ~/.kube/config).")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "The context of the kubeconfig (default: its current one).")
    private @Nullable String context;

    /** Kept in a field, because the log manager holds loggers weakly and a lost logger loses its level. */
    private final Logger client = Logger.getLogger("io.fabric8.kubernetes");

    KubeOptions() {}

    boolean isOn() {
        return on;
    }

    /** The cluster that is named; null where none is. */
    @Nullable
    ClusterAccess access(CommandLine command) throws CommandFailure {
        if (!on) {
            if (kubeconfig != null || context != null) {
                throw new ParameterException(command, "--kubeconfig and --context go with --kube");
            }
            return null;
        }
        // Our own code reports what fails in it.
        client.setLevel(Level.SEVERE);
        try {
            return ClusterAccess.of(kubeconfig, context);
        } catch (ConfigurationException e) {
            throw new CommandFailure("--kube: " + e.getMessage());
        }
    }
}
