package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.NodeRun;
import io.evenkeel.v1.NodeTableChange;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests that listings and answers create the tables that answers refer to. */
final class NodeTablesTest {
    /** Represents the answer to the page token of another process. */
    private static final MessageLite FOREIGN_PAGE = ListNodesResponse.newBuilder()
            .setNextPageToken("of another process")
            .build();

    /** Answers calls from a script, and records them. */
    private static final class Script implements Transport {
        private final Queue<MessageLite> answers = new ArrayDeque<>();
        private final List<ListNodesRequest> listed = new ArrayList<>();
        private final List<EvaluateRequest> evaluated = new ArrayList<>();
        private final Queue<Answers<?>> underWay = new ArrayDeque<>();

        void refusesThePage() {
            answers.add(FOREIGN_PAGE);
        }

        void answers(MessageLite.Builder... messages) {
            for (MessageLite.Builder message : messages) {
                answers.add(message.build());
            }
        }

        @Override
        @SuppressWarnings("unchecked") // The script has an answer of the type that its caller expects.
        public <Q extends MessageLite, A extends MessageLite> A call(
                ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline) {
            if (request.message() instanceof EvaluateRequest query) {
                evaluated.add(query);
            } else {
                listed.add((ListNodesRequest) Objects.requireNonNull(request.message()));
            }
            MessageLite answer = answers.remove();
            if (answer == FOREIGN_PAGE) {
                throw new PlacementException(
                        ErrorCode.INVALID_ARGUMENT,
                        ErrorReason.ERROR_REASON_INVALID_FIELD,
                        "pageToken must be a nextPageToken from this server",
                        List.of(FieldViolation.newBuilder()
                                .setField("pageToken")
                                .build()),
                        null,
                        null);
            }
            return (A) answer;
        }

        @Override
        public <Q extends MessageLite, A extends MessageLite> Runnable start(
                ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline, Answers<A> answers) {
            evaluated.add((EvaluateRequest) Objects.requireNonNull(request.message()));
            underWay.add(answers);
            return () -> {};
        }

        /** Answers the oldest open call. */
        @SuppressWarnings("unchecked") // The tests start only evaluations.
        void answersLate(EvaluateResponse.Builder answer) {
            ((Answers<EvaluateResponse>) underWay.remove()).answered(answer.build());
        }

        @Override
        public <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(
                ProtocolMethod<Q, A> method, Answers<A> answers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close(Duration grace) {}
    }

    private final Script script = new Script();
    private final PlacementClient client = PlacementClient.over(script, Duration.ofSeconds(1));
    private final NodeTables tables = client.nodeTables();

    private static ListNodesResponse.Builder page(NodeRun... runs) {
        return ListNodesResponse.newBuilder().addAllRuns(List.of(runs));
    }

    private static NodeRun run(int first, String... names) {
        return NodeRun.newBuilder()
                .setFirstIndex(first)
                .addAllNames(List.of(names))
                .build();
    }

    private static PackedAnswers answersOf(String token) {
        return PackedAnswers.of(
                EvaluateResponse.newBuilder().setNodeTableToken(token).build());
    }

    private static List<String> names(NodeTable table) {
        List<String> names = new ArrayList<>();
        for (int index = 0; index < table.size(); index++) {
            names.add(table.name(index));
            if (!table.name(index).isEmpty()) {
                assertEquals(index, table.index(table.name(index)));
            }
        }
        return names;
    }

    @Test
    void table_isMadeOfPages_inTheirOrder() {
        script.answers(
                page(run(0, "a", "b")).setWhole(true).setNextPageToken("2"),
                page(run(1, ""), run(4, "e", "f")).setNextPageToken("3"),
                page(run(0, "a2"), run(5, "")).setNodeTableToken("t1"));
        NodeTable table = tables.of(answersOf("t1"));
        assertEquals("t1", table.token());
        assertEquals(List.of("a2", "", "", "", "e"), names(table));
        assertEquals(-1, table.index("a"));
        assertEquals("", table.name(17));
        assertEquals(
                List.of("", "2", "3"),
                script.listed.stream().map(ListNodesRequest::getPageToken).toList());
        assertSame(table, tables.of(answersOf("t1")));
        assertEquals(3, script.listed.size());
    }

    @Test
    void knownTable_isChanged_unlessAPageBeginsAWholeOne() {
        script.answers(page(run(0, "a", "b", "c")).setWhole(true).setNodeTableToken("t1"));
        NodeTable first = tables.current();
        script.answers(page(run(1, "B")).setNodeTableToken("t2"));
        assertEquals(List.of("a", "B", "c"), names(tables.current()));
        assertEquals("t1", script.listed.get(1).getKnownNodeTableToken());
        script.answers(page().setNodeTableToken("t2"));
        assertSame(tables.of(answersOf("t2")), tables.current());
        script.answers(
                page(run(2, "lost")).setNextPageToken("2"),
                page(run(0, "x")).setWhole(true).setNodeTableToken("t3"));
        assertEquals(List.of("x"), names(tables.current()));
        assertEquals("t2", script.listed.get(4).getKnownNodeTableToken());
        assertSame(first, tables.of(answersOf("t1")));
        assertEquals(List.of("a", "b", "c"), names(first));
    }

    @Test
    void listing_beginsAgain_ifTheServerWasStartedAgain() {
        script.answers(page(run(0, "a", "b")).setWhole(true).setNodeTableToken("t1"));
        tables.current();
        script.answers(page(run(0, "lost")).setNextPageToken("2"));
        script.refusesThePage();
        script.answers(page(run(1, "x")).setWhole(true).setNodeTableToken("u1"));
        assertEquals(List.of("", "x"), names(tables.current()));
        assertEquals("", script.listed.get(3).getPageToken());
        assertEquals("t1", script.listed.get(3).getKnownNodeTableToken());
    }

    @Test
    void listing_isAbandoned_ifNoServerKnowsItsPages() {
        for (int i = 0; i < 10; i++) {
            script.answers(page(run(0, "lost")).setWhole(true).setNextPageToken("2"));
            script.refusesThePage();
        }
        PlacementException refused = assertThrows(PlacementException.class, tables::current);
        assertEquals(ErrorReason.ERROR_REASON_INVALID_FIELD, refused.reason());
        assertEquals(10, script.listed.size());
    }

    @Test
    void listing_fails_ifTheServerNamesNodesByIndexesThatNoneGivesOut() {
        for (int first : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, (1 << 26) - 1}) {
            script.answers(page(run(first, "x", "y")).setNodeTableToken("t1"));
            PlacementException faulty = assertThrows(PlacementException.class, tables::current);
            assertEquals(ErrorCode.INTERNAL, faulty.code());
            assertEquals("INTERNAL: invalid server response: 2 nodes from index " + first, faulty.getMessage());
        }
        script.answers(page(run(0, "x", "y")).setNodeTableToken("t2"));
        assertEquals(List.of("x", "y"), names(tables.current()), "nothing of a faulty answer is kept");
    }

    @Test
    void answer_mustBeAskedAgain_ifItsTableHasGone() {
        script.answers(page(run(0, "a")).setWhole(true).setNodeTableToken("t2"));
        PlacementException gone = assertThrows(PlacementException.class, () -> tables.of(answersOf("t1")));
        assertEquals(ErrorCode.ABORTED, gone.code());
        assertEquals(List.of("a"), names(tables.of(answersOf("t2"))));
    }

    private static EvaluateResponse.Builder bringing(String token, boolean whole, NodeRun... runs) {
        return EvaluateResponse.newBuilder()
                .setNodeTableToken(token)
                .setNodeTableChange(NodeTableChange.newBuilder().setWhole(whole).addAllRuns(List.of(runs)));
    }

    private PackedAnswers evaluated() {
        return PackedAnswers.of(
                client.evaluate(Query.of(ClientWorld.hard()).packed().toEvaluate()));
    }

    @Test
    void table_followsAnswers_withoutAListing() {
        script.answers(EvaluateResponse.newBuilder().setNodeTableToken("t1"));
        PackedAnswers first = evaluated();
        assertFalse(script.evaluated.get(0).hasKnownNodeTableToken());
        script.answers(page(run(0, "a", "b")).setWhole(true).setNodeTableToken("t1"));
        assertEquals(List.of("a", "b"), names(tables.of(first)));

        script.answers(bringing("t2", false, run(1, "B", "c")));
        assertEquals(List.of("a", "B", "c"), names(tables.of(evaluated())));
        script.answers(bringing("t3", true, run(1, "x")));
        assertEquals(List.of("", "x"), names(tables.of(evaluated())));
        script.answers(EvaluateResponse.newBuilder().setNodeTableToken("t3"));
        assertEquals(List.of("", "x"), names(tables.of(evaluated())));
        assertEquals(
                List.of("", "t1", "t2", "t3"),
                script.evaluated.stream()
                        .map(EvaluateRequest::getKnownNodeTableToken)
                        .toList());
        assertEquals(1, script.listed.size());
    }

    @Test
    void change_isAppliedToTheTableThatTheQueryNamed_inAnyOrder() {
        script.answers(page(run(0, "a", "b", "c")).setWhole(true).setNodeTableToken("t1"));
        tables.current();
        tables.take(
                tables.find("t1"),
                "t3",
                bringing("t3", false, run(0, "A"), run(2, "C")).getNodeTableChange());
        tables.take(tables.find("t1"), "t2", bringing("t2", false, run(0, "A")).getNodeTableChange());
        assertEquals(List.of("A", "b", "C"), names(tables.of(answersOf("t3"))));
        assertEquals(List.of("A", "b", "c"), names(tables.of(answersOf("t2"))));
        assertEquals(1, script.listed.size());
    }

    @Test
    void lateAnswer_bringsItsTable_whateverTablesCameMeanwhile() {
        script.answers(page(run(0, "a")).setWhole(true).setNodeTableToken("t1"));
        tables.current();
        CompletableFuture<EvaluateResponse> late =
                client.async().evaluate(Query.of(ClientWorld.hard()).packed().toEvaluate());
        for (int i = 2; i < 8; i++) {
            script.answers(bringing("t" + i, false, run(0, "a" + i)));
            evaluated();
        }
        script.answersLate(bringing("t8", false, run(1, "b")));
        assertEquals(List.of("a", "b"), names(tables.of(PackedAnswers.of(late.join()))));
        assertEquals(1, script.listed.size());
    }

    /** Otherwise every answer would contain the same change again until a node is added or removed. */
    @Test
    void query_namesTheTableOfTheLatestAnswer_afterAnEarlierOneCameLate() {
        script.answers(page(run(0, "a")).setWhole(true).setNodeTableToken("t1"));
        tables.current();
        CompletableFuture<EvaluateResponse> late =
                client.async().evaluate(Query.of(ClientWorld.hard()).packed().toEvaluate());
        script.answers(bringing("t3", false, run(1, "b", "c")));
        evaluated();
        script.answersLate(bringing("t2", false, run(1, "b")));
        script.answers(
                bringing("t3", false, run(2, "c")),
                EvaluateResponse.newBuilder().setNodeTableToken("t3"));
        evaluated();
        assertEquals(List.of("a", "b", "c"), names(tables.of(evaluated())));
        assertEquals("t3", script.evaluated.get(3).getKnownNodeTableToken());
        assertEquals(List.of("a", "b"), names(tables.of(PackedAnswers.of(late.join()))));
        assertEquals(1, script.listed.size());
    }

    @Test
    void table_isListed_ifAnAnswerBringsNoneOrChangesOneThatIsNotKept() {
        script.answers(page(run(0, "a")).setWhole(true).setNodeTableToken("t1"));
        tables.current();
        script.answers(
                EvaluateResponse.newBuilder().setNodeTableToken("t2"),
                page(run(0, "b")).setNodeTableToken("t2"));
        assertEquals(List.of("b"), names(tables.of(evaluated())));
        tables.take(
                tables.find("lost"), "t3", bringing("t3", false, run(0, "c")).getNodeTableChange());
        script.answers(page(run(0, "c")).setNodeTableToken("t3"));
        assertEquals(List.of("c"), names(tables.of(answersOf("t3"))));
        assertEquals(3, script.listed.size());
    }

    @Test
    void query_keepsTheTableThatItNames_andReadableOnesNameNone() {
        script.answers(page(run(0, "a")).setWhole(true).setNodeTableToken("t1"));
        tables.current();
        script.answers(EvaluateResponse.newBuilder(), EvaluateResponse.newBuilder());
        EvaluateRequest packed = Query.of(ClientWorld.hard()).packed().toEvaluate();
        client.evaluate(packed.toBuilder().setKnownNodeTableToken("mine").build());
        client.evaluate(Query.of(ClientWorld.hard()).toEvaluate());
        assertEquals("mine", script.evaluated.get(0).getKnownNodeTableToken());
        assertFalse(script.evaluated.get(1).hasKnownNodeTableToken());
    }
}
