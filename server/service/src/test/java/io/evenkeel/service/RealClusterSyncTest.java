package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.evenkeel.manifest.RealCluster;
import io.evenkeel.objects.WatchedObject;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.stub.BlockingClientCall;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Feeds the lists and watches of a real cluster through Sync, with the kinds in the order of their events. The result
 * must equal the lists that were recorded afterwards.
 */
final class RealClusterSyncTest {
    private static final List<String> KINDS =
            List.of("nodes", "pods", "services", "replicationcontrollers", "replicasets", "statefulsets");
    private static final List<String> WATCHED = List.of("nodes", "pods", "services", "replicasets", "statefulsets");

    @Test
    void before_andTheWatch_endInTheStateOfAfter() throws Exception {
        try (TestServer followed = TestServer.start();
                TestServer listed = TestServer.start()) {
            follow(followed);
            snapshot(ClusterStateGrpc.newBlockingV2Stub(listed.channel).sync(), "after");
            assertEquals(comparable(listed.status()), comparable(followed.status()));
            assertEquals(nodes(listed), nodes(followed));
            List<Pod> pods = RealCluster.objects("after.pods.json.gz").stream()
                    .map(Pod.class::cast)
                    .toList();
            List<Map<String, List<Object>>> expected = answers(listed, pods);
            List<Map<String, List<Object>>> actual = answers(followed, pods);
            for (int i = 0; i < pods.size(); i++) {
                assertEquals(
                        expected.get(i),
                        actual.get(i),
                        pods.get(i).getMetadata().getName());
            }
        }
    }

    @Test
    void relist_changesNothing_whenTheWatchMissedNothing() throws Exception {
        try (TestServer server = TestServer.start()) {
            follow(server);
            GetStatusResponse before = server.status();
            snapshot(ClusterStateGrpc.newBlockingV2Stub(server.channel).sync(), "after");
            assertEquals(before.getRevision(), server.status().getRevision());
        }
    }

    private static void follow(TestServer server) throws Exception {
        BlockingClientCall<SyncRequest, SyncResponse> stream =
                ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
        snapshot(stream, "before");
        List<WatchedObject> events = new ArrayList<>();
        for (String kind : WATCHED) {
            events.addAll(RealCluster.events("watch." + kind + ".jsonl.gz"));
        }
        events.sort(Comparator.comparingLong(
                event -> Long.parseLong(metadata(event.object()).getResourceVersion())));
        assertTrue(events.size() > 100);
        for (WatchedObject event : events) {
            SyncResponse response = send(
                    stream,
                    SyncRequest.newBuilder()
                            .setEvents(Events.newBuilder()
                                    .addEvents(ClusterEvent.newBuilder()
                                            .setType(ClusterEvent.Type.valueOf(
                                                    "TYPE_" + event.change().name()))
                                            .setObject(wrap(event.object()))))
                            .build());
            assertEquals(0, response.getRefusalsCount());
        }
        stream.halfClose();
    }

    private static void snapshot(BlockingClientCall<SyncRequest, SyncResponse> stream, String when) throws Exception {
        send(
                stream,
                SyncRequest.newBuilder()
                        .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                        .build());
        for (String kind : KINDS) {
            SyncResponse response = send(
                    stream,
                    SyncRequest.newBuilder()
                            .setObjects(Objects.newBuilder().addAllObjects(objects(when + "." + kind + ".json.gz")))
                            .build());
            assertEquals(0, response.getRefusalsCount());
        }
        send(
                stream,
                SyncRequest.newBuilder()
                        .setEndSnapshot(EndSnapshot.getDefaultInstance())
                        .build());
    }

    private static SyncResponse send(BlockingClientCall<SyncRequest, SyncResponse> stream, SyncRequest request)
            throws Exception {
        stream.write(request);
        return java.util.Objects.requireNonNull(stream.read());
    }

    private static List<ClusterObject> objects(String name) throws IOException {
        return RealCluster.objects(name).stream().map(RealClusterSyncTest::wrap).toList();
    }

    private static ClusterObject wrap(Message object) {
        for (FieldDescriptor field : ClusterObject.getDescriptor().getFields()) {
            if (field.getMessageType().equals(object.getDescriptorForType())) {
                return ClusterObject.newBuilder().setField(field, object).build();
            }
        }
        throw new IllegalArgumentException(
                "no object of a cluster: " + object.getDescriptorForType().getName());
    }

    private static ObjectMeta metadata(Message object) {
        return (ObjectMeta) object.getField(object.getDescriptorForType().findFieldByName("metadata"));
    }

    /** The part of the status that does not depend on how the state was reached. */
    private static GetStatusResponse comparable(GetStatusResponse status) {
        GetStatusResponse.Builder comparable = status.toBuilder();
        // The time and the last event of a feed are specific to it, because a list contains no deletions.
        comparable
                .getKindsBuilderList()
                .forEach(kind -> kind.clearFeedingSince()
                        .clearLastEventTime()
                        .clearLastBookmarkTime()
                        .clearResourceVersion()
                        .clearHeldVersion()
                        .clearAge());
        return comparable
                .clearRevision()
                .clearNodeTableToken()
                .clearUptime()
                .clearSelectorCount()
                .clearEligibilityCount()
                .clearSpreadGroupCount()
                .clearPlanCount()
                .build();
    }

    private static Set<String> nodes(TestServer server) {
        Set<String> names = new TreeSet<>(server.nodeNames());
        names.remove("");
        return names;
    }

    /** The code, reason and score of every node, for each pod. */
    private static List<Map<String, List<Object>>> answers(TestServer server, List<Pod> pods) {
        List<Map<String, List<Object>>> answers = new ArrayList<>();
        for (PodAnswer answer : server.placement
                .evaluate(EvaluateRequest.newBuilder()
                        .addAllPods(pods)
                        .setOptions(QueryOptions.newBuilder().setEveryNode(true))
                        .build())
                .getAnswersList()) {
            Map<String, List<Object>> byNode = new TreeMap<>();
            for (NodeVerdict node : answer.getReadable().getVerdictsList()) {
                byNode.put(node.getName(), List.of(node.getCode(), node.getMessage(), node.getScore()));
            }
            answers.add(byNode);
        }
        return answers;
    }
}
