package io.evenkeel.cli;

import com.google.protobuf.Message;
import io.evenkeel.kube.KubeFeed;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.manifest.PodSearch;
import io.evenkeel.placement.ClusterStateHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
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

    /**
     * Rejects standard input as more than one input.
     *
     * @param file another input of the command; null if it has none
     */
    public void requireOneStandardInput(@Nullable String file, CommandLine command) {
        if (Stream.concat(files.stream(), Stream.ofNullable(file))
                        .filter("-"::equals)
                        .count()
                > 1) {
            throw new ParameterException(command, "standard input can be read only once");
        }
    }

    /** The files of {@code --cluster}; empty for another source. */
    public List<String> files() {
        return files;
    }

    /** The API server of {@code --kube}; null for another source. */
    public @Nullable ClusterAccess access() {
        return access;
    }

    /** The namespace of pods that name none: that of the kubeconfig's context, otherwise {@code default}. */
    public String namespace() {
        ClusterAccess its = access;
        return its == null ? DEFAULT_NAMESPACE : its.namespace();
    }

    /**
     * What a question needs of a cluster.
     *
     * @param namespace the namespace whose objects are needed; null for all
     * @param everyPod whether the answer depends on the pods of all namespaces
     * @param pods receives each pod
     * @param holdsWorkload whether a workload that is asked about was found by name in the files
     * @param objects called with each node and pod; not by a server, which does not list them
     */
    public record Needs(
            @Nullable String namespace,
            boolean everyPod,
            PodSearch pods,
            boolean holdsWorkload,
            Consumer<Message> objects) {
        /** The pods of all namespaces, and the other objects of {@code namespace}; of all if it is null. */
        public static Needs everyPod(@Nullable String namespace, Consumer<Message> objects) {
            return new Needs(namespace, true, new PodSearch(null), false, objects);
        }
    }

    /** Opens the cluster, after {@link #check}. */
    public AskedCluster open(Needs needs, DefaultsOptions defaults, Consumer<String> warnings) throws IOException {
        if (remote.isOn()) {
            return remote.connect();
        }
        return files.isEmpty()
                ? LoadedCluster.ofServer(Objects.requireNonNull(access), needs, defaults.read(), warnings)
                : LoadedCluster.ofFiles(files, needs, defaults.read(), warnings);
    }

    /**
     * Follows the API server of {@code --kube}, after {@link #check}.
     *
     * @param start begins the feed, which ends when the cluster is closed
     */
    public AskedCluster follow(
            DefaultsOptions defaults,
            Consumer<String> warnings,
            BiFunction<ClusterStateHandler, ClusterAccess, KubeFeed> start)
            throws IOException {
        return LoadedCluster.following(Objects.requireNonNull(access), defaults.read(), warnings, start);
    }

    /** Whether the cluster is that of a running server. */
    public boolean isServed() {
        return remote.isOn();
    }

    /** The default constraints for a request; null if the cluster was opened with them. */
    public io.evenkeel.v1.@Nullable DefaultConstraints defaults(DefaultsOptions chosen, CommandLine command) {
        return remote.isOn() ? chosen.ofRequest(command) : null;
    }

    /** Rejects defaults for a server, whose own apply to requests that cannot have any. */
    public void requireDefaultsOfServer(DefaultsOptions chosen, CommandLine command) {
        if (defaults(chosen, command) != null) {
            throw new ParameterException(
                    command, "--defaults cannot be combined with --server here: the server's own apply");
        }
    }
}
