package io.evenkeel.cli;

import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.manifest.PodSearch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that name the cluster: files, an API server, or a running Evenkeel server. */
final class ClusterOptions {
    private static final String DEFAULT_NAMESPACE = "default";

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            description =
                    "The cluster: output of `kubectl get nodes,pods,services,replicationcontrollers,replicasets,"
                            + "statefulsets -A -o json`, JSON or YAML, plain or gzip. - is standard input. Several files form one cluster.")
    private List<String> files = new ArrayList<>();

    @Mixin
    private KubeOptions kube = new KubeOptions();

    @Mixin
    private RemoteOptions remote = new RemoteOptions();

    private @Nullable ClusterAccess access;

    ClusterOptions() {}

    /** Rejects options that cannot be combined. */
    void check(CommandLine command) throws CommandFailure {
        List<String> named = new ArrayList<>();
        if (!files.isEmpty()) {
            named.add("--cluster");
        }
        if (kube.isOn()) {
            named.add("--kube");
        }
        if (remote.isOn()) {
            named.add("--server");
        }
        if (named.isEmpty()) {
            throw new ParameterException(command, "no cluster given: use --cluster=FILE, --kube or --server=HOST:PORT");
        }
        if (named.size() > 1) {
            throw new ParameterException(
                    command, String.join(" and ", named) + " cannot be combined: give one cluster");
        }
        remote.check(command);
        access = kube.access(command);
    }

    /** How many times the options name standard input. */
    long timesStandardInput() {
        return files.stream().filter("-"::equals).count();
    }

    /** The files of {@code --cluster}; empty for another source. */
    List<String> files() {
        return files;
    }

    /** The API server of {@code --kube}; null for another source. */
    @Nullable
    ClusterAccess access() {
        return access;
    }

    /** The namespace of pods that name none: that of the kubeconfig's context, otherwise {@code default}. */
    String namespace() {
        ClusterAccess its = access;
        return its == null ? DEFAULT_NAMESPACE : its.namespace();
    }

    /**
     * Opens the cluster for a question about a pod of a namespace, after {@link #check}.
     *
     * @param everyPod whether the answer depends on the pods of all namespaces
     * @param wanted the pod's name; empty if it has none yet
     * @param holdsWorkload whether the pod's workload was found by name in the files
     */
    AskedCluster open(
            String namespace,
            boolean everyPod,
            String wanted,
            boolean holdsWorkload,
            DefaultsOptions defaults,
            Consumer<String> warnings)
            throws IOException {
        if (remote.isOn()) {
            return remote.connect();
        }
        PodSearch pods = new PodSearch(wanted.isEmpty() ? null : namespace + "/" + wanted);
        return files.isEmpty()
                ? LoadedCluster.ofNamespace(
                        Objects.requireNonNull(access), namespace, everyPod, defaults.read(), pods, warnings)
                : LoadedCluster.ofFiles(files, holdsWorkload, defaults.read(), pods, warnings);
    }

    /** The default constraints for a request; null if the cluster was opened with them. */
    io.evenkeel.v1.@Nullable DefaultConstraints defaults(DefaultsOptions chosen, CommandLine command) {
        return remote.isOn() ? chosen.ofRequest(command) : null;
    }
}
