package io.evenkeel.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.objects.ApiProtobuf;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.RealFiles;
import io.evenkeel.objects.StoredObjectTranslator;
import io.evenkeel.objects.WatchedObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the output of an API server and of kubectl for one cluster yields the same objects in each format, and is
 * never rejected.
 */
final class RealClusterTest {
    private static final Map<String, Long> COUNTS =
            Map.of("Node", 19L, "Pod", 57L, "ReplicaSet", 8L, "Service", 5L, "StatefulSet", 1L);

    @Test
    void kubectlJsonAndYaml_giveTheSameObjects() throws IOException {
        List<Message> json = RealCluster.objects("cluster.json.gz");
        assertEquals(json, RealCluster.objects("cluster.yaml.gz"));
        assertEquals(
                COUNTS,
                json.stream()
                        .collect(Collectors.groupingBy(
                                object -> object.getDescriptorForType().getName(), Collectors.counting())));
    }

    @Test
    void kindsThatAreNotNeeded_areCounted() throws IOException {
        try (ObjectReader reader = ObjectReader.of(RealFiles.open("cluster.json.gz"), "cluster.json.gz")) {
            while (reader.next() != null) {
                assertTrue(reader.objectsRead() > 0);
            }
            assertEquals(Map.of("Deployment", 8L), reader.skippedKinds());
            assertEquals(90, reader.objectsRead());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nodes", "pods", "services", "replicationcontrollers", "replicasets", "statefulsets"})
    void apiList_givesTheSameObjects_fromJsonAndFromProtobuf(String kind) throws IOException {
        List<Message> json = RealCluster.objects("before." + kind + ".json.gz");
        assertEquals(ApiProtobuf.objects(RealFiles.read("before." + kind + ".pb.gz"), prototype(kind)), json);
        assertEquals(kind.equals("replicationcontrollers"), json.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"nodes", "pods", "services", "replicasets", "statefulsets"})
    void watch_givesTheSameEvents_fromJsonAndFromProtobuf(String kind) throws IOException {
        assertEquals(
                ApiProtobuf.events(RealFiles.read("watch." + kind + ".pbwatch.gz"), prototype(kind)),
                RealCluster.events("watch." + kind + ".jsonl.gz"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nodes", "pods", "services", "replicasets", "statefulsets"})
    void watch_leadsFromTheListBeforeToTheListAfter(String kind) throws IOException {
        Map<String, Message> state = byUid(RealCluster.objects("before." + kind + ".json.gz"));
        for (WatchedObject event : RealCluster.events("watch." + kind + ".jsonl.gz")) {
            String uid = uid(event.object());
            assertEquals(event.change() != Change.ADDED, state.containsKey(uid));
            if (event.change() == Change.DELETED) {
                state.remove(uid);
            } else {
                state.put(uid, event.object());
            }
        }
        assertEquals(byUid(RealCluster.objects("after." + kind + ".json.gz")), state);
    }

    @Test
    void podWatch_reportsTerminatingFinishedAndPlacedPods() throws Exception {
        int terminating = 0;
        int finished = 0;
        int pending = 0;
        List<WatchedObject> events = RealCluster.events("watch.pods.jsonl.gz");
        assertEquals(90, events.size());
        for (WatchedObject event : events) {
            PodObject pod =
                    PodScanner.record((Pod) event.object(), event.change()).toObject();
            terminating += pod.terminating() ? 1 : 0;
            finished += pod.finished() ? 1 : 0;
            pending += pod.nodeName().isEmpty() ? 1 : 0;
        }
        assertEquals(List.of(15, 2, 37), List.of(terminating, finished, pending));
    }

    @Test
    void noObject_isRefused() throws Exception {
        IncomingPodTranslator incoming = new IncomingPodTranslator(PodLimits.DEFAULT);
        int constraints = 0;
        for (Message object : RealCluster.objects("cluster.json.gz")) {
            if (object instanceof Node node) {
                assertEquals(
                        node.getMetadata().getLabelsMap(),
                        StoredObjectTranslator.node(node, Change.LISTED).labels());
            } else if (object instanceof Pod pod) {
                assertFalse(PodScanner.record(pod, Change.LISTED).name().isEmpty());
                IncomingPod asIncoming = incoming.translate(pod);
                constraints += asIncoming.constraints().size();
                assertTrue(asIncoming.controller() != null);
            } else {
                OwnerObject owner = owner(object);
                assertEquals(!owner.name().equals("kubernetes"), owner.selector() != null);
            }
        }
        assertEquals(80, constraints);
    }

    private static Message prototype(String kind) {
        return KindMessages.prototype(RealCluster.kind(kind));
    }

    private static OwnerObject owner(Message object) throws InvalidObjectException {
        if (object instanceof Service service) {
            return StoredObjectTranslator.service(service, Change.LISTED);
        }
        if (object instanceof ReplicaSet set) {
            return StoredObjectTranslator.replicaSet(set, Change.LISTED);
        }
        return StoredObjectTranslator.statefulSet((StatefulSet) object, Change.LISTED);
    }

    private static Map<String, Message> byUid(List<Message> objects) {
        Map<String, Message> byUid = new TreeMap<>();
        objects.forEach(object -> byUid.put(uid(object), object));
        assertEquals(objects.size(), byUid.size());
        return byUid;
    }

    private static String uid(Message object) {
        return ((ObjectMeta) object.getField(object.getDescriptorForType().findFieldByName("metadata"))).getUid();
    }
}
