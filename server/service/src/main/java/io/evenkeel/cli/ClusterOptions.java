package io.evenkeel.cli;

import com.google.protobuf.Message;
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
public final class ClusterOptions {
    /** Lists all kinds of objects that files may have. */
    static final String KUBECTL = "kubectl get nodes,pods,services,replicationcontrollers,replicasets,statefulsets,"
            + "poddisruptionbudgets -A -o json";

    private static final String DEFAULT_NAMESPACE = "default";

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            description = "The cluster: output of `" + KUBECTL
                    + "`, JSON or YAML, plain or gzip. - is standard input. Several files form one cluster.")
    private List<String> files = new ArrayList<>();

    @Mixin
    private KubeOptions kube = new KubeOptions();

    @Mixin
    private RemoteOptions remote = new RemoteOptions();

    private @Nullable ClusterAccess access;

    /** No cluster. */
    public ClusterOptions() {}

    /** Rejects options that cannot be combined. */
    public void check(CommandLine command) throws CommandFailure {
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
    public long timesStandardInput() {
        return files.stream().filter("-"::equals).count();
    }

    /** The files of {@code --cluster}; empty for another source. */
    public List<String> files() {
        return files;
    }

    /** The API server of {@code --kube}; null for another source. */
    @Nullable
    ClusterAccess access() {
        return access;
    }

    /** The namespace of pods that name none: that of the kubeconfig's context, otherwise {@code default}. */
    public String namespace() {
        ClusterAccess its = access;
        return its == null ? DEFAULT_NAMESPACE : its.namespace();
    }

    /**
     * Opens the cluster for a question about a pod of a namespace, after {@link #check}.
     *
     * @param everyPod whether the answer depends on the pods of all namespaces
     * @param wanted the pod's name; empty if it has none yet
     * @param holdsWorkload whether the pod's workload was found by name in the files
     * @param objects called with each node and pod; not by a server, which does not list them
     */
    AskedCluster open(
            String namespace,
            boolean everyPod,
            String wanted,
            boolean holdsWorkload,
            DefaultsOptions defaults,
            Consumer<Message> objects,
            Consumer<String> warnings)
            throws IOException {
        if (remote.isOn()) {
            return remote.connect();
        }
        PodSearch pods = new PodSearch(wanted.isEmpty() ? null : namespace + "/" + wanted);
        return load(namespace, everyPod, pods, holdsWorkload, defaults, objects, warnings);
    }

    /**
     * Opens the cluster for a simulation, with the pods of all namespaces, after {@link #check}.
     *
     * @param namespace the namespace whose other objects are needed; null for all
     * @param objects called with each node and pod; not by a server, which does not list them
     */
    public AskedCluster open(
            @Nullable String namespace, DefaultsOptions defaults, Consumer<Message> objects, Consumer<String> warnings)
            throws IOException {
        if (remote.isOn()) {
            return remote.connect();
        }
        return load(namespace, true, new PodSearch(null), false, defaults, objects, warnings);
    }

    private AskedCluster load(
            @Nullable String namespace,
            boolean everyPod,
            PodSearch pods,
            boolean holdsWorkload,
            DefaultsOptions defaults,
            Consumer<Message> objects,
            Consumer<String> warnings)
            throws IOException {
        return files.isEmpty()
                ? LoadedCluster.ofNamespace(
                        Objects.requireNonNull(access), namespace, everyPod, defaults.read(), pods, objects, warnings)
                : LoadedCluster.ofFiles(files, holdsWorkload, defaults.read(), pods, objects, warnings);
    }

    /** Whether the cluster is that of a running server. */
    public boolean isServed() {
        return remote.isOn();
    }

    /** The default constraints for a request; null if the cluster was opened with them. */
    public io.evenkeel.v1.@Nullable DefaultConstraints defaults(DefaultsOptions chosen, CommandLine command) {
        return remote.isOn() ? chosen.ofRequest(command) : null;
    }
}
