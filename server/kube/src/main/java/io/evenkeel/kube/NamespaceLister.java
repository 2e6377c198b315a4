package io.evenkeel.kube;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the nodes and the objects of one namespace once. Constraints and their defaults only use pods, services and
 * controllers of the pod's namespace. Only what is free on nodes also depends on the pods of other namespaces.
 */
public final class NamespaceLister {
    /** Much longer than a page takes. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private static final int MAX_OBJECTS = 1_000;
    private static final Map<ObjectKind, Parser<? extends Message>> DELIVERED = Map.of(
            ObjectKind.POD, DiscardUnknownFieldsParser.wrap(Pod.parser()),
            ObjectKind.NODE, DiscardUnknownFieldsParser.wrap(Node.parser()));

    private final ClusterAccess access;
    private final @Nullable String namespace;
    private final boolean everyPod;

    /**
     * @param namespace null for all namespaces
     * @param everyPod whether to read the pods of all namespaces
     */
    public NamespaceLister(ClusterAccess access, @Nullable String namespace, boolean everyPod) {
        this.access = access;
        this.namespace = namespace;
        this.everyPod = everyPod;
    }

    /**
     * Feeds an instance with a snapshot of each kind that answers about placement depend on. If all namespaces are
     * read, disruption budgets are read too, unless that fails.
     *
     * @param objects called with each node and pod that is read; more than once if part of a list is read again
     * @param refused called with each rejected object; everything else is applied
     * @throws ClusterReadException if a list cannot be read
     */
    public void read(ClusterStateHandler state, Consumer<Message> objects, Consumer<Refusal> refused)
            throws ClusterReadException, InterruptedException {
        try (SharedClient client = new SharedClient(access.withSilence(SILENCE))) {
            for (ObjectKind kind : namespace == null ? ObjectKind.ALL : ObjectKind.OF_PLACEMENT) {
                try (KindWriter writer =
                        new KindWriter(kind, state, KubeFeed.FEEDER, MAX_OBJECTS, refused, FedObjects.NOBODY)) {
                    read(kind, client, writer, objects);
                } catch (ClusterReadException e) {
                    if (ObjectKind.OF_PLACEMENT.contains(kind)) {
                        throw e;
                    }
                }
            }
        }
    }

    private void read(ObjectKind kind, SharedClient client, KindWriter writer, Consumer<Message> objects)
            throws ClusterReadException, InterruptedException {
        Parser<? extends Message> parser = DELIVERED.get(kind);
        ListReader.Items items = parser == null
                ? writer::object
                : (bytes, from, to) -> {
                    writer.object(bytes, from, to);
                    deliver(parser, bytes, from, to, objects);
                };
        String within = kind == ObjectKind.POD && everyPod ? null : namespace;
        try {
            String path = ApiResource.path(kind, within);
            PageRetry retry = new PageRetry(FeedTiming.real(), failure -> {});
            writer.endSnapshot(new PagedList(client, path, writer::beginSnapshot, () -> {}, items, retry).read());
        } catch (IOException | RequestException e) {
            throw new ClusterReadException(FailureText.ofList(kind, within, access.server(), e), e);
        }
    }

    private static void deliver(
            Parser<? extends Message> parser, byte[] bytes, int from, int to, Consumer<Message> objects) {
        Message object;
        try {
            object = parser.parseFrom(bytes, from, to - from);
        } catch (InvalidProtocolBufferException e) {
            // The writer rejects it.
            return;
        }
        objects.accept(object);
    }
}
