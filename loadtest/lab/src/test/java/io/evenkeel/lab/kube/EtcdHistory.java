package io.evenkeel.lab.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.script.Step;
import io.evenkeel.lab.controlplane.ObjectEnvelope;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.objects.StoredObjectTranslator;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The complete history of all kinds in a cluster, with the revision of each change. It is recorded from etcd, below the
 * API server, so it misses nothing when the API server is killed, and it shares no code with the feed. The revision of
 * a change is the object's resourceVersion in the API.
 *
 * <pre>
 *   byKey[kind]   key → the changes of the object, by ascending revision; a change without an object is its deletion
 * </pre>
 */
final class EtcdHistory implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PREFIX = "/registry/";
    private static final String AFTER_PREFIX = "/registry0";

    private record Entry(long revision, @Nullable Step object) {}

    /**
     * A change of an object.
     *
     * @param key the object's key in etcd
     * @param object its new state, which does not contain its resourceVersion; null if it was deleted
     */
    record ObjectChange(
            ObjectKind kind,
            String key,
            long revision,
            @Nullable ClusterObject object) {
        /** A state of the object with this revision as its resourceVersion. */
        ClusterObject versioned(ClusterObject state) {
            ClusterObject.Builder versioned = state.toBuilder();
            Message.Builder ofKind = versioned.getFieldBuilder(KindMessages.field(kind));
            ofKind.setField(
                    ofKind.getDescriptorForType().findFieldByName("metadata"),
                    KindMessages.metadata(state).toBuilder()
                            .setResourceVersion(Long.toString(revision))
                            .build());
            return versioned.build();
        }
    }

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI etcd;
    private final Consumer<ObjectChange> listener;
    private final Thread thread = new Thread(this::follow, "etcd-history");
    private final Map<ObjectKind, Map<String, List<Entry>>> byKey = new EnumMap<>(ObjectKind.class);
    private final Map<ObjectKind, Long> newest = new EnumMap<>(ObjectKind.class);
    private long seen;
    private int events;
    private @Nullable Exception failure;
    private volatile boolean closed;

    /** Starts recording, from the first revision on. */
    EtcdHistory(URI etcd) {
        this(etcd, change -> {});
    }

    /**
     * Starts recording, from the first revision on.
     *
     * @param listener receives the changes one by one
     */
    EtcdHistory(URI etcd, Consumer<ObjectChange> listener) {
        this.etcd = etcd;
        this.listener = listener;
        for (ObjectKind kind : ObjectKind.values()) {
            byKey.put(kind, new HashMap<>());
        }
        thread.setDaemon(true);
        thread.start();
    }

    private void follow() {
        while (!closed) {
            try {
                watch(seenSoFar() + 1);
            } catch (IOException broken) {
                // etcd is down for a while. The next watch resumes after the last revision.
                pause();
            } catch (InterruptedException e) {
                return;
            } catch (InvalidObjectException | RuntimeException e) {
                fail(e);
                return;
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch(long from) throws IOException, InterruptedException, InvalidObjectException {
        String range = "{\"create_request\": {\"key\": \"%s\", \"range_end\": \"%s\", \"start_revision\": \"%d\"}}"
                .formatted(encoded(PREFIX), encoded(AFTER_PREFIX), from);
        HttpRequest request = HttpRequest.newBuilder(etcd.resolve("/v3/watch"))
                .POST(HttpRequest.BodyPublishers.ofString(range))
                .build();
        HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode result = JSON.readTree(line).path("result");
                if (result.has("canceled")) {
                    throw new IllegalStateException("etcd ended the watch: " + line);
                }
                record(result);
            }
        }
    }

    private static String encoded(String key) {
        return Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
    }

    private synchronized void record(JsonNode result) throws IOException, InvalidObjectException {
        for (JsonNode event : result.path("events")) {
            JsonNode kv = event.path("kv");
            String key = new String(Base64.getDecoder().decode(kv.path("key").asText()), StandardCharsets.UTF_8);
            long revision = kv.path("mod_revision").asLong();
            ObjectKind kind = kind(key);
            if (kind != null && revision > seen) {
                ClusterObject object = null;
                Step step = null;
                if (!event.path("type").asText().equals("DELETE")) {
                    Message message = KindMessages.prototype(kind)
                            .getParserForType()
                            .parseFrom(ObjectEnvelope.open(ByteString.copyFrom(
                                    Base64.getDecoder().decode(kv.path("value").asText()))));
                    object = ClusterObject.newBuilder()
                            .setField(KindMessages.field(kind), message)
                            .build();
                    step = step(kind, message);
                }
                objectsOf(kind).computeIfAbsent(key, k -> new ArrayList<>(2)).add(new Entry(revision, step));
                newest.put(kind, revision);
                events++;
                listener.accept(new ObjectChange(kind, key, revision, object));
            }
        }
        JsonNode revisions = result.path("events");
        if (!revisions.isEmpty()) {
            seen = Math.max(
                    seen,
                    revisions
                            .get(revisions.size() - 1)
                            .path("kv")
                            .path("mod_revision")
                            .asLong());
        }
        notifyAll();
    }

    private Map<String, List<Entry>> objectsOf(ObjectKind kind) {
        return Objects.requireNonNull(byKey.get(kind));
    }

    private static @Nullable ObjectKind kind(String key) {
        for (ObjectKind kind : ObjectKind.values()) {
            if (key.startsWith(EtcdKeys.prefix(kind))) {
                return kind;
            }
        }
        return null;
    }

    private static Step step(ObjectKind kind, Message message) throws InvalidObjectException {
        return switch (kind) {
            case NODE -> new Step.NodeEvent(Change.ADDED, StoredObjectTranslator.node((Node) message, Change.ADDED));
            case POD -> new Step.PodEvent(Change.ADDED, pod((Pod) message));
            case SERVICE ->
                new Step.OwnerEvent(Change.ADDED, StoredObjectTranslator.service((Service) message, Change.ADDED));
            case POD_DISRUPTION_BUDGET ->
                new Step.BudgetEvent(
                        Change.ADDED,
                        StoredObjectTranslator.disruptionBudget((PodDisruptionBudget) message, Change.ADDED));
            case REPLICATION_CONTROLLER ->
                new Step.OwnerEvent(
                        Change.ADDED,
                        StoredObjectTranslator.replicationController((ReplicationController) message, Change.ADDED));
            case REPLICA_SET ->
                new Step.OwnerEvent(
                        Change.ADDED, StoredObjectTranslator.replicaSet((ReplicaSet) message, Change.ADDED));
            case STATEFUL_SET ->
                new Step.OwnerEvent(
                        Change.ADDED, StoredObjectTranslator.statefulSet((StatefulSet) message, Change.ADDED));
        };
    }

    private static PodObject pod(Pod pod) {
        ObjectMeta metadata = pod.getMetadata();
        String phase = pod.getStatus().getPhase();
        return new PodObject(
                metadata.getNamespace(),
                metadata.getName(),
                metadata.getUid(),
                0,
                Map.copyOf(metadata.getLabelsMap()),
                pod.getSpec().getNodeName(),
                metadata.hasDeletionTimestamp(),
                phase.equals("Succeeded") || phase.equals("Failed"));
    }

    private synchronized long seenSoFar() {
        return seen;
    }

    private synchronized void fail(Exception e) {
        failure = e;
        notifyAll();
    }

    /**
     * Waits until every change up to {@code revision} is recorded. There must be a change at or after that revision.
     */
    synchronized void await(long revision) throws InterruptedException {
        while (seen < revision) {
            if (failure != null) {
                throw new IllegalStateException("the history ended", failure);
            }
            wait();
        }
    }

    /** The revision of the newest recorded change of a kind; 0 if there is none. */
    synchronized long newest(ObjectKind kind) {
        return newest.getOrDefault(kind, 0L);
    }

    /** The number of recorded changes. */
    synchronized int events() {
        return events;
    }

    /** The objects of a kind after all changes up to {@code revision}. */
    synchronized List<Step> objects(ObjectKind kind, long revision) {
        List<Step> objects = new ArrayList<>();
        for (List<Entry> entries : objectsOf(kind).values()) {
            Step last = null;
            for (Entry entry : entries) {
                if (entry.revision() <= revision) {
                    last = entry.object();
                }
            }
            if (last != null) {
                objects.add(last);
            }
        }
        return objects;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
