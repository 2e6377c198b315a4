package io.evenkeel.client;

import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Gets the node tables that packed answers refer to. It asks the server when an answer refers to a table that it does
 * not have, which happens after nodes were added or removed. It keeps the last few tables, for answers that were under
 * way meanwhile. Thread-safe; one instance for each client is enough.
 */
public final class NodeTables {
    private static final int KEPT = 4;

    private final PlacementClient client;
    private final Deque<NodeTable> newestFirst = new ArrayDeque<>();

    public NodeTables(PlacementClient client) {
        this.client = client;
    }

    /**
     * The table that the answers refer to. Asks the server where it is not at hand.
     *
     * @throws PlacementException ABORTED where nodes were added or removed since the answer: its indexes may mean other
     *     nodes now, so ask the question again
     */
    public synchronized NodeTable of(PackedAnswers answers) {
        String token = answers.nodeTableToken();
        for (NodeTable table : newestFirst) {
            if (table.token().equals(token)) {
                return table;
            }
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

    /** The table as it is now. This is one small call where little has changed. */
    public synchronized NodeTable current() {
        return list();
    }

    /** Asks for what has changed since the newest table, page by page, and keeps the result. */
    private NodeTable list() {
        NodeTable newest = newestFirst.isEmpty() ? NodeTable.EMPTY : newestFirst.getFirst();
        NodeTable table = newest;
        ListNodesRequest.Builder request = ListNodesRequest.newBuilder().setKnownNodeTableToken(newest.token());
        do {
            ListNodesResponse page = client.listNodes(request.build());
            table = table.changed(page.getWhole(), page.getRunsList(), page.getNodeTableToken());
            request.setPageToken(page.getNextPageToken());
        } while (!request.getPageToken().isEmpty());
        if (table.token().equals(newest.token())) {
            return newest;
        }
        newestFirst.addFirst(table);
        if (newestFirst.size() > KEPT) {
            newestFirst.removeLast();
        }
        return table;
    }
}
