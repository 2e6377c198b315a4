package io.evenkeel.client;

import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.NodeTableChange;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the node tables that packed answers refer to: those of {@link PlacementClient#nodeTables()}. The first one is
 * asked for; after that the client's packed queries name the newest one, and their answers bring what has changed. The
 * last few tables are kept, for answers that were under way meanwhile. Thread-safe.
 */
public final class NodeTables {
    private static final int KEPT = 4;

    private final PlacementClient client;
    /** Held while the server is asked, so that several threads do not ask for the same table. */
    private final Object asking = new Object();

    private final Deque<NodeTable> newestFirst = new ArrayDeque<>();
    private volatile NodeTable newest = NodeTable.EMPTY;

    NodeTables(PlacementClient client) {
        this.client = client;
    }

    /**
     * The table that the answers refer to. Asks the server where it is not at hand: for the first table, and where an
     * answer did not bring its changes because they were too large.
     *
     * @throws PlacementException ABORTED where nodes were added or removed since the answer, and the table of the
     *     answer is not at hand: its indexes may mean other nodes now, so ask the question again
     */
    public NodeTable of(PackedAnswers answers) {
        String token = answers.nodeTableToken();
        NodeTable known = find(token);
        if (known != null) {
            return known;
        }
        synchronized (asking) {
            known = find(token);
            if (known != null) {
                return known;
            }
            NodeTable now = list();
            if (!now.token().equals(token)) {
                throw new PlacementException(
                        ErrorCode.ABORTED,
                        "the node table must still be that of the answer, " + token + ", was " + now.token()
                                + ": ask again");
            }
            return now;
        }
    }

    /** The table as it is now. This is one small call where little has changed. */
    public NodeTable current() {
        synchronized (asking) {
            return list();
        }
    }

    /** The token of the newest table, for a query; "" where there is none yet. */
    String newest() {
        return newest.token();
    }

    /** Makes and keeps the table of an answer that brings a change, where the table that it changes is kept. */
    void take(String changed, String token, NodeTableChange change) {
        if (find(token) != null) {
            return;
        }
        NodeTable base = change.getWhole() ? NodeTable.EMPTY : find(changed);
        if (base != null) {
            keep(base.changed(change.getWhole(), change.getRunsList(), token));
        }
    }

    /** Asks for what has changed since the newest table, page by page, and keeps the result. */
    private NodeTable list() {
        NodeTable table = newest;
        ListNodesRequest.Builder request = ListNodesRequest.newBuilder().setKnownNodeTableToken(table.token());
        do {
            ListNodesResponse page = client.listNodes(request.build());
            table = table.changed(page.getWhole(), page.getRunsList(), page.getNodeTableToken());
            request.setPageToken(page.getNextPageToken());
        } while (!request.getPageToken().isEmpty());
        return keep(table);
    }

    private synchronized @Nullable NodeTable find(String token) {
        for (NodeTable table : newestFirst) {
            if (table.token().equals(token)) {
                return table;
            }
        }
        return null;
    }

    /** The table, or the equal one that is kept already. */
    private synchronized NodeTable keep(NodeTable table) {
        NodeTable known = find(table.token());
        if (known != null) {
            return known;
        }
        newestFirst.addFirst(table);
        newest = table;
        if (newestFirst.size() > KEPT) {
            newestFirst.removeLast();
        }
        return table;
    }
}
