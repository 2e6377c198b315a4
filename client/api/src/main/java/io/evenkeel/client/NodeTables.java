package io.evenkeel.client;

import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.NodeTableChange;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the node tables that packed answers refer to; see {@link PlacementClient#nodeTables()}. The first table is
 * requested from the server. After that the client's packed queries name the latest table, and their answers contain
 * what changed. The last few tables are kept for answers that were already under way. Thread-safe.
 */
public final class NodeTables {
    private static final int KEPT = 4;

    /** How often to start a listing whose page token the server does not know. */
    private static final int LISTINGS = 5;

    private final PlacementClient client;
    /** Held during a request, so that several threads do not request the same table. */
    private final Object asking = new Object();

    /** The tables, starting with that of the latest answer. */
    private final Deque<NodeTable> latestFirst = new ArrayDeque<>();

    private volatile NodeTable latest = NodeTable.EMPTY;

    NodeTables(PlacementClient client) {
        this.client = client;
    }

    /**
     * The table that the answers refer to. Requests it from the server if it is not kept here: the first time, and if
     * an answer did not contain its changes because they were too large.
     *
     * @throws PlacementException ABORTED if nodes were added or removed since the answer and its table is not kept
     *     here. Its indexes may mean other nodes now, so repeat the query
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
                        "the node table has changed since the answer: it was " + token + ", and is now " + now.token()
                                + "; repeat the query");
            }
            return now;
        }
    }

    /** The current table. Costs one small call if little has changed. */
    public NodeTable current() {
        synchronized (asking) {
            return list();
        }
    }

    /** The token of the latest table, for a query; "" if there is none yet. */
    String latest() {
        return latest.token();
    }

    /**
     * Keeps the table of an answer that contains a change.
     *
     * @param changed the table that the query named; null if unknown
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
     * Requests what has changed since the latest table, and keeps the result. Starts over if the server was restarted
     * between two pages.
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

    /** Whether a page was rejected because its token comes from another process. */
    private static boolean isPageTokenUnknown(PlacementException refused) {
        return refused.violations().stream()
                .anyMatch(violation -> violation.getField().equals("pageToken"));
    }

    /** The base with all changes since, read page by page. */
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

    /** The table with that token; null if it is not kept. */
    synchronized @Nullable NodeTable find(String token) {
        for (NodeTable table : latestFirst) {
            if (table.token().equals(token)) {
                return table;
            }
        }
        return null;
    }

    /** Makes the table the latest one, or the kept one with the same token, and returns it. */
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
