package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.NodeRun;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Tests that listings make the tables that answers refer to. */
final class NodeTablesTest {
    /** Answers the calls of ListNodes from a script, and records them. */
    private static final class Listing implements Transport {
        private final Queue<ListNodesResponse> script = new ArrayDeque<>();
        private final List<ListNodesRequest> asked = new ArrayList<>();

        Listing answers(ListNodesResponse.Builder... pages) {
            for (ListNodesResponse.Builder page : pages) {
                script.add(page.build());
            }
            return this;
        }

        @Override
        @SuppressWarnings("unchecked") // ListNodes is the only method that is called.
        public <Q extends MessageLite, A extends MessageLite> A call(
                ProtocolMethod<Q, A> method, Q request, Duration deadline) {
            asked.add((ListNodesRequest) request);
            return (A) script.remove();
        }

        @Override
        public <A extends MessageLite> A callEncoded(ProtocolMethod<?, A> method, byte[] request, Duration deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <Q extends MessageLite, A extends MessageLite> Runnable start(
                ProtocolMethod<Q, A> method, Q request, Duration deadline, Answers<A> answers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <A extends MessageLite> Runnable startEncoded(
                ProtocolMethod<?, A> method, byte[] request, Duration deadline, Answers<A> answers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(
                ProtocolMethod<Q, A> method, Answers<A> answers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close(Duration grace) {}
    }

    private final Listing listing = new Listing();
    private final NodeTables tables = new NodeTables(PlacementClient.over(listing, Duration.ofSeconds(1)));

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
        listing.answers(
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
                listing.asked.stream().map(ListNodesRequest::getPageToken).toList());
        assertSame(table, tables.of(answersOf("t1")));
        assertEquals(3, listing.asked.size());
    }

    @Test
    void knownTable_isChanged_unlessAPageBeginsAWholeOne() {
        listing.answers(page(run(0, "a", "b", "c")).setWhole(true).setNodeTableToken("t1"));
        NodeTable first = tables.current();
        listing.answers(page(run(1, "B")).setNodeTableToken("t2"));
        assertEquals(List.of("a", "B", "c"), names(tables.current()));
        assertEquals("t1", listing.asked.get(1).getKnownNodeTableToken());
        listing.answers(page().setNodeTableToken("t2"));
        assertSame(tables.of(answersOf("t2")), tables.current());
        listing.answers(
                page(run(2, "lost")).setNextPageToken("2"),
                page(run(0, "x")).setWhole(true).setNodeTableToken("t3"));
        assertEquals(List.of("x"), names(tables.current()));
        assertEquals("t2", listing.asked.get(4).getKnownNodeTableToken());
        assertSame(first, tables.of(answersOf("t1")));
        assertEquals(List.of("a", "b", "c"), names(first));
    }

    @Test
    void answer_mustBeAskedAgain_whereItsTableHasGone() {
        listing.answers(page(run(0, "a")).setWhole(true).setNodeTableToken("t2"));
        PlacementException gone = assertThrows(PlacementException.class, () -> tables.of(answersOf("t1")));
        assertEquals(ErrorCode.ABORTED, gone.code());
        assertEquals(List.of("a"), names(tables.of(answersOf("t2"))));
    }
}
