package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.rpc.Code;
import io.evenkeel.client.ClientKind.Opened;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that pods as bytes get the same answers as pods in messages. */
final class EncodedQueryTest {
    private static Pod named(Pod pod, String name) {
        return pod.toBuilder()
                .setMetadata(pod.getMetadata().toBuilder().setName(name).setUid("uid-of-" + name))
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void encodedPods_areAnsweredLikeMessages(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            World.add(client, World.zones(2, 1, 0));
            for (AnswerForm form : List.of(AnswerForm.ANSWER_FORM_READABLE, AnswerForm.ANSWER_FORM_PACKED)) {
                QueryOptions options =
                        QueryOptions.newBuilder().setForm(form).setMaxBest(2).build();
                List<Pod> pods = List.of(named(World.hard(), "a"), World.soft(), named(World.hard(), "b"));
                EncodedQuery query = EncodedQuery.of(
                        options, pods.stream().map(Pod::toByteArray).toList());
                Query same = Query.of(pods).best(2);
                same = form == AnswerForm.ANSWER_FORM_PACKED ? same.packed() : same;
                assertEquals(client.filter(same.toFilter()), client.filter(query));
                assertEquals(client.score(same.toScore()), client.score(query));
                assertEquals(client.evaluate(same.toEvaluate()), client.evaluate(query));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void bytesOfNoPod_failTheCall(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            World.add(client, World.zones(1));
            byte[] cut = {10, 5, 1};
            PlacementException failure = assertThrows(
                    PlacementException.class,
                    () -> client.evaluate(EncodedQuery.of(QueryOptions.getDefaultInstance(), cut)));
            assertEquals(Code.INVALID_ARGUMENT, failure.code());
        }
    }

    @ParameterizedTest
    @EnumSource
    void encodedQuery_readsOwnWrites_unlessItDemandsARevisionItself(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client().readingOwnWrites();
            Revision written = World.add(client, World.zones(2, 1)).getRevision();
            byte[] pod = World.hard().toByteArray();
            assertEquals(
                    written,
                    client.filter(EncodedQuery.of(QueryOptions.getDefaultInstance(), pod))
                            .getRevision());
            EncodedQuery another = EncodedQuery.of(QueryOptions.getDefaultInstance(), pod)
                    .atLeast(Revision.newBuilder()
                            .setInstance("another")
                            .setCounter(1)
                            .build());
            PlacementException failure = assertThrows(PlacementException.class, () -> client.filter(another));
            assertEquals(Code.FAILED_PRECONDITION, failure.code());
        }
    }
}
