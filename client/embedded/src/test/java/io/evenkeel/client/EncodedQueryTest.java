package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import io.evenkeel.client.ClientKind.Opened;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that encoded pods get the same answers as pods in messages. */
final class EncodedQueryTest {
    private static Pod named(Pod pod, String name) {
        return pod.toBuilder()
                .setMetadata(pod.getMetadata().toBuilder().setName(name).setUid("uid-of-" + name))
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void encodedPods_areAnsweredLikeMessages_inCallsAsFuturesAndOnStreams(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(2, 1, 0));
            for (AnswerForm form : List.of(AnswerForm.ANSWER_FORM_READABLE, AnswerForm.ANSWER_FORM_PACKED)) {
                QueryOptions options =
                        QueryOptions.newBuilder().setForm(form).setMaxBest(2).build();
                List<Pod> pods =
                        List.of(named(ClientWorld.hard(), "a"), ClientWorld.soft(), named(ClientWorld.hard(), "b"));
                EncodedQuery query = EncodedQuery.of(
                        options, pods.stream().map(Pod::toByteArray).toList());
                Query same = Query.of(pods).best(2);
                same = form == AnswerForm.ANSWER_FORM_PACKED ? same.packed() : same;
                assertEquals(client.filter(same.toFilter()), client.filter(query));
                assertEquals(client.score(same.toScore()), client.score(query));
                EvaluateResponse evaluated = client.evaluate(same.toEvaluate());
                assertEquals(evaluated, client.evaluate(query));
                AsyncPlacement async = client.async();
                assertEquals(client.filter(same.toFilter()), async.filter(query).get());
                assertEquals(client.score(same.toScore()), async.score(query).get());
                assertEquals(evaluated, async.evaluate(query).get());
                try (EvaluationStream stream = client.evaluationStream()) {
                    assertEquals(evaluated, stream.evaluate(same.toEvaluate()).get());
                    assertEquals(evaluated, stream.evaluate(query).get());
                    assertEquals(
                            evaluated,
                            stream.evaluate(query, Duration.ofSeconds(60)).get());
                    assertEquals(
                            evaluated, stream.tryEvaluate(query).orElseThrow().get());
                    assertEquals(
                            evaluated,
                            stream.tryEvaluate(query, Duration.ofSeconds(60))
                                    .orElseThrow()
                                    .get());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void bytesOfNoPod_failTheCall_andTheStream(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(1));
            byte[] cut = {10, 5, 1};
            EncodedQuery query = EncodedQuery.of(QueryOptions.getDefaultInstance(), cut);
            PlacementException failure = assertThrows(PlacementException.class, () -> client.evaluate(query));
            assertEquals(ErrorCode.INVALID_ARGUMENT, failure.code());
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT,
                    failureOf(client.async().evaluate(query)).code());
            try (EvaluationStream stream = client.evaluationStream()) {
                assertEquals(
                        ErrorCode.INVALID_ARGUMENT,
                        failureOf(stream.evaluate(query)).code());
            }
        }
    }

    /** The fields of other requests mean something else. */
    @ParameterizedTest
    @EnumSource
    void encodedQuery_isRefused_byOtherMethods(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            EncodedQuery query = EncodedQuery.of(
                    QueryOptions.getDefaultInstance(), ClientWorld.hard().toByteArray());
            for (ProtocolMethod<?, ? extends MessageLite> other :
                    List.of(ProtocolMethod.WHAT_IF, ProtocolMethod.GET_STATUS)) {
                assertThrows(IllegalArgumentException.class, () -> client.call(other, query));
                assertThrows(
                        IllegalArgumentException.class, () -> client.async().call(other, query));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void encodedQuery_readsOwnWrites_unlessItDemandsARevisionItself(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client().readingOwnWrites();
            Revision written = ClientWorld.add(client, ClientWorld.zones(2, 1)).getRevision();
            EncodedQuery query = EncodedQuery.of(
                    QueryOptions.getDefaultInstance(), ClientWorld.hard().toByteArray());
            EncodedQuery another = query.atLeast(
                    Revision.newBuilder().setInstance("another").setCounter(1).build());
            assertEquals(written, client.filter(query).getRevision());
            assertEquals(written, client.async().filter(query).get().getRevision());
            PlacementException failure = assertThrows(PlacementException.class, () -> client.filter(another));
            assertEquals(ErrorCode.FAILED_PRECONDITION, failure.code());
            assertEquals(
                    ErrorCode.FAILED_PRECONDITION,
                    failureOf(client.async().filter(another)).code());
            try (EvaluationStream stream = client.evaluationStream()) {
                assertEquals(
                        ErrorCode.FAILED_PRECONDITION,
                        failureOf(stream.evaluate(another)).code());
                assertEquals(written, stream.evaluate(query).get().getRevision());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void encodedQuery_asksAboutAChangedCluster(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(2, 1, 1));
            Overlay changes = Overlay.newBuilder()
                    .addWithout(PodReference.newBuilder().setUid("uid-of-web-c0"))
                    .build();
            EncodedQuery query = EncodedQuery.of(
                            QueryOptions.getDefaultInstance(),
                            ClientWorld.hard().toByteArray())
                    .over(changes);
            EvaluateResponse same =
                    client.evaluate(Query.of(ClientWorld.hard()).over(changes).toEvaluate());
            assertEquals(1, same.getAnswers(0).getReadable().getPassedCount());
            assertEquals(same, client.evaluate(query));
            try (EvaluationStream stream = client.evaluationStream()) {
                assertEquals(same, stream.evaluate(query).get());
            }
        }
    }

    /** Waits for the write if the query requires what the client has written. */
    @ParameterizedTest
    @EnumSource
    void encodedQueryOnAStream_waitsForOwnWrites(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            Revisions writes = new Revisions();
            PlacementClient client = opened.client().readingOwnWrites(writes);
            Revision now = ClientWorld.add(client, ClientWorld.zones(2, 1)).getRevision();
            writes.saw(now.toBuilder().setCounter(now.getCounter() + 1).build());
            EncodedQuery query = EncodedQuery.of(
                    QueryOptions.getDefaultInstance(), ClientWorld.hard().toByteArray());
            try (EvaluationStream stream = client.evaluationStream()) {
                CompletableFuture<EvaluateResponse> waiting = stream.evaluate(query);
                assertFalse(waiting.isDone());
                ClientWorld.add(opened.client(), List.of(ClusterObjects.of(ClientWorld.pod("web-new", "node-b"))));
                assertTrue(waiting.get().getRevision().getCounter() > now.getCounter());
            }
        }
    }

    private static PlacementException failureOf(CompletableFuture<?> future) {
        ExecutionException failed = assertThrows(ExecutionException.class, future::get);
        return assertInstanceOf(PlacementException.class, failed.getCause());
    }
}
