package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.client.ClientKind.Opened;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the versions and ages that clients require, and the versions that answers report. */
@Timeout(60)
final class ClientVersionsTest {
    private static final ObjectKind POD = ObjectKind.OBJECT_KIND_POD;
    private static final ObjectKind NODE = ObjectKind.OBJECT_KIND_NODE;

    private static ClusterFeed feed(PlacementClient client) throws InterruptedException, ExecutionException {
        ClusterFeed feed = client.feed(FeedOptions.named("test"));
        feed.beginSnapshot().get();
        feed.objects(ClientWorld.zones(2, 1)).get();
        feed.endSnapshot(Map.of(
                        POD,
                        "100",
                        NODE,
                        "100",
                        ObjectKind.OBJECT_KIND_SERVICE,
                        "",
                        ObjectKind.OBJECT_KIND_REPLICATION_CONTROLLER,
                        "",
                        ObjectKind.OBJECT_KIND_REPLICA_SET,
                        "",
                        ObjectKind.OBJECT_KIND_STATEFUL_SET,
                        ""))
                .get();
        return feed;
    }

    private static ClusterEvent added(String name, long version) {
        Pod.Builder pod = ClientWorld.pod(name, "node-b").toBuilder();
        pod.getMetadataBuilder().setResourceVersion(Long.toString(version));
        return ClusterEvent.newBuilder()
                .setType(ClusterEvent.Type.TYPE_ADDED)
                .setObject(ClusterObject.newBuilder().setPod(pod))
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void query_waitsForItsVersions_andIsReportedThem(ClientKind kind) throws Exception {
        try (Opened opened = kind.open();
                ClusterFeed feed = feed(opened.client())) {
            Query query = Query.of(ClientWorld.hard()).packed().tellVersions();
            PackedAnswers first = PackedAnswers.of(opened.client()
                    .evaluate(query.noOlderThan(Duration.ofDays(1)).toEvaluate()));
            assertEquals(Map.of(POD, 100L, NODE, 100L), first.versions().byKind());
            CompletableFuture<EvaluateResponse> later = opened.client()
                    .async()
                    .evaluate(query.holding(ResourceVersions.of(POD, 120)).toEvaluate());
            feed.events(List.of(added("new", 110))).get();
            feed.bookmark(POD, "120").get();
            PackedAnswers answers = PackedAnswers.of(later.get());
            assertEquals(110, answers.versions().version(POD));
            assertEquals(ResourceVersions.of(POD, 110).newest(NODE, 100), answers.versions());
        }
    }

    @ParameterizedTest
    @EnumSource
    void encodedQuery_demandsAndIsReportedVersions(ClientKind kind) throws Exception {
        try (Opened opened = kind.open();
                ClusterFeed feed = feed(opened.client())) {
            feed.bookmark(NODE, "105").get();
            EncodedQuery query = EncodedQuery.of(
                            QueryOptions.newBuilder()
                                    .setForm(AnswerForm.ANSWER_FORM_PACKED)
                                    .build(),
                            ClientWorld.hard().toByteArray())
                    .holding(ResourceVersions.of(NODE, 105))
                    .noOlderThan(Duration.ofDays(1))
                    .tellVersions();
            assertEquals(
                    100,
                    PackedAnswers.of(opened.client().evaluate(query)).versions().version(NODE));
            PlacementException failure = assertInstanceOf(
                    PlacementException.class,
                    assertThrows(
                            PlacementException.class,
                            () -> opened.client()
                                    .evaluate(query.holding(ResourceVersions.of(ObjectKind.OBJECT_KIND_SERVICE, 1)))));
            assertEquals(ErrorCode.FAILED_PRECONDITION, failure.code());
        }
    }

    @Test
    void newestVersions_areKeptByKind() {
        ResourceVersions seen = ResourceVersions.of(POD, 7).newest(POD, 5).newest(NODE, 3);
        assertEquals(Map.of(POD, 7L, NODE, 3L), seen.byKind());
        assertEquals(
                Map.of(POD, 9L, NODE, 3L),
                seen.newest(ResourceVersions.of(POD, 9)).byKind());
        assertEquals(0, seen.version(ObjectKind.OBJECT_KIND_SERVICE));
        assertThrows(IllegalArgumentException.class, () -> ResourceVersions.of(POD, 0));
        assertThrows(
                IllegalArgumentException.class,
                () -> Query.of(ClientWorld.hard()).noOlderThan(Duration.ZERO));
    }
}
