package io.evenkeel.client;

import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.NodeTableChange;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the node tables that packed answers refer to: those of {@link PlacementClient#nodeTables()}. The first one is
 * asked for; after that the client's packed queries name the latest one, and their answers bring what has changed. The
 * last few tables are kept, for answers that were under way meanwhile. Thread-safe.
 */
public final class NodeTables {
    private static final int KEPT = 4;

    /** How often a listing begins, where a server that does not know its page token answers. */
    private static final int LISTINGS = 5;

    private final PlacementClient client;
    /** Held while the server is asked, so that several threads do not ask for the same table. */
    private final Object asking = new Object();

    /** The table of the latest answer first. */
    private final Deque<NodeTable> latestFirst = new ArrayDeque<>();

    private volatile NodeTable latest = NodeTable.EMPTY;

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

    /** The token of the latest table, for a query; "" where there is none yet. */
    String latest() {
        return latest.token();
    }

    /**
     * Keeps the table of an answer that brings a change.
     *
     * @param changed the table that the query named; null where it is not known
     */
    void take(@Nullable NodeTable changed, String token, NodeTableChange change) {
        NodeTable known = find(token);
        NodeTable base = change.getWhole() ? NodeTable.EMPTY : changed;
        if (known != null) {
            keep(known);
        } else if (base != null) {
            keep(base.changed(change.getWhole(), change.getRunsList(), token));
        }
    }

    /**
     * Asks for what has changed since the latest table, and keeps the result. Begins anew where the server was started
     * again between two pages.
     */
    private NodeTable list() {
        NodeTable base = latest;
        for (int begun = 1; ; begun++) {
            try {
                return keep(listed(base));
            } catch (PlacementException refused) {
                if (begun == LISTINGS || !isPageTokenUnknown(refused)) {
                    throw refused;
                }
            }
        }
    }

    /** Whether a page was refused because its token is that of another process. */
    private static boolean isPageTokenUnknown(PlacementException refused) {
        return refused.violations().stream()
                .anyMatch(violation -> violation.getField().equals("pageToken"));
    }

    /** The base with what has changed since, page by page. */
    private NodeTable listed(NodeTable base) {
        NodeTable table = base;
        ListNodesRequest.Builder request = ListNodesRequest.newBuilder().setKnownNodeTableToken(table.token());
        do {
            ListNodesResponse page = client.listNodes(request.build());
            table = table.changed(page.getWhole(), page.getRunsList(), page.getNodeTableToken());
            request.setPageToken(page.getNextPageToken());
        } while (!request.getPageToken().isEmpty());
        return table;
    }

    /** The table with that token; null where it is not kept. */
    synchronized @Nullable NodeTable find(String token) {
        for (NodeTable table : latestFirst) {
            if (table.token().equals(token)) {
                return table;
            }
        }
        return null;
    }

    /** Makes the table, or the equal one that is kept already, the latest one, and returns it. */
    private synchronized NodeTable keep(NodeTable table) {
        NodeTable known = find(table.token());
        NodeTable kept = known == null ? table : known;
        latestFirst.remove(kept);
        latestFirst.addFirst(kept);
        latest = kept;
        if (latestFirst.size() > KEPT) {
            latestFirst.removeLast();
        }
        return kept;
    }
}
