package io.evenkeel.kube;

import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.ConfigurationException;
import io.evenkeel.kube.client.KubeClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads single workloads from an API server, as JSON. */
public final class WorkloadClient implements AutoCloseable {
    private static final Duration SILENCE = Duration.ofSeconds(10);
    private static final String JSON = "application/json";

    /** The path of the API of each kind, in any letter case. */
    private static final SortedMap<String, String> APIS = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    static {
        List.of("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
                .forEach(kind -> APIS.put(kind, "/apis/apps/v1"));
        List.of("Job", "CronJob").forEach(kind -> APIS.put(kind, "/apis/batch/v1"));
        List.of("ReplicationController", "PodTemplate").forEach(kind -> APIS.put(kind, "/api/v1"));
    }

    private final ClusterAccess access;
    private final KubeClient client;

    /**
     * Does not connect yet.
     *
     * @throws ConfigurationException if the configuration cannot be read
     */
    public WorkloadClient(ClusterAccess access) throws ConfigurationException {
        this.access = access;
        client = access.withSilence(SILENCE).open();
    }

    /** Whether workloads of a kind can be read. */
    public static boolean knows(String kind) {
        return APIS.containsKey(kind);
    }

    /** The kind that is called so, in any letter case and also in the plural; null if there is none. */
    public static @Nullable String kindCalled(String name) {
        return APIS.keySet().stream()
                .filter(kind -> name.equalsIgnoreCase(kind) || name.equalsIgnoreCase(kind + "s"))
                .findFirst()
                .orElse(null);
    }

    /**
     * A workload.
     *
     * @param kind a kind that {@link #knows} accepts
     * @throws ClusterReadException if it cannot be read; the message says why and what to do
     */
    public byte[] workload(String kind, String namespace, String name)
            throws ClusterReadException, InterruptedException {
        return read(kind, namespace, "/" + ApiResource.encoded(name), "get");
    }

    /**
     * The list of all ReplicaSets of a namespace.
     *
     * @throws ClusterReadException if it cannot be read; the message says why and what to do
     */
    public byte[] replicaSets(String namespace) throws ClusterReadException, InterruptedException {
        return read("ReplicaSet", namespace, "", "list");
    }

    private byte[] read(String kind, String namespace, String object, String verb)
            throws ClusterReadException, InterruptedException {
        String plural = kind.toLowerCase(Locale.ROOT) + "s";
        String path = Objects.requireNonNull(APIS.get(kind)) + "/namespaces/" + ApiResource.encoded(namespace) + "/"
                + plural + object;
        try {
            return client.get(path, JSON);
        } catch (IOException e) {
            String right = verb + " on " + plural + " in namespace " + namespace + " with a Role";
            throw new ClusterReadException(FailureText.text(access.server(), path, right, e), e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
