package io.evenkeel.kube;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.ConfigurationException;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Reads the nodes and the objects of one namespace once. Constraints and their defaults only use pods, services and
 * controllers of the pod's namespace. Only what is free on nodes also depends on the pods of other namespaces.
 */
public final class NamespaceReader {
    /** Much longer than a page takes. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private static final int MAX_OBJECTS = 1_000;
    private static final Parser<Pod> POD = DiscardUnknownFieldsParser.wrap(Pod.parser());

    private final ClusterAccess access;
    private final String namespace;
    private final boolean everyPod;

    /** @param everyPod whether to read the pods of all namespaces */
    public NamespaceReader(ClusterAccess access, String namespace, boolean everyPod) {
        this.access = access;
        this.namespace = namespace;
        this.everyPod = everyPod;
    }

    /**
     * Feeds an instance with a snapshot of each kind.
     *
     * @param pods called with each pod that is read; more than once if part of a list is read again
     * @param refused called with each rejected object; everything else is applied
     * @throws ClusterReadException if a list cannot be read
     */
    public void read(ClusterStateHandler state, Consumer<Pod> pods, Consumer<Refusal> refused)
            throws ClusterReadException, InterruptedException {
        try (SharedClient client = new SharedClient(access.withSilence(SILENCE))) {
            for (ObjectKind kind : ObjectKind.ALL) {
                try (KindWriter writer =
                        new KindWriter(kind, state, KubeFeed.FEEDER, MAX_OBJECTS, refused, FedObjects.NOBODY)) {
                    read(kind, client, writer, pods);
                }
            }
        }
    }

    private void read(ObjectKind kind, SharedClient client, KindWriter writer, Consumer<Pod> pods)
            throws ClusterReadException, InterruptedException {
        ListReader.Items items = kind != ObjectKind.POD
                ? writer::object
                : (bytes, from, to) -> {
                    writer.object(bytes, from, to);
                    deliver(bytes, from, to, pods);
                };
        String within = kind == ObjectKind.POD && everyPod ? null : namespace;
        try {
            String path = ApiResource.path(kind, within);
            PageRetry retry = new PageRetry(FeedTiming.real(), failure -> {});
            writer.endSnapshot(new PagedList(client, path, writer::beginSnapshot, () -> {}, items, retry).read());
        } catch (IOException | ConfigurationException | RequestException e) {
            throw new ClusterReadException(FailureText.ofList(kind, within, access.server(), e), e);
        }
    }

    private static void deliver(byte[] bytes, int from, int to, Consumer<Pod> pods) {
        Pod pod;
        try {
            pod = POD.parseFrom(bytes, from, to - from);
        } catch (InvalidProtocolBufferException e) {
            // The writer rejects it.
            return;
        }
        pods.accept(pod);
    }
}
