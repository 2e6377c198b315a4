package io.evenkeel.client;

import com.google.rpc.Code;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

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
        String instance = answers.revision().getInstance();
        long revision = answers.nodeTableRevision();
        NodeTable known = find(instance, revision);
        if (known != null) {
            return known;
        }
        NodeTable now = ask();
        if (!now.isOf(instance, revision)) {
            throw new PlacementException(
                    Code.ABORTED,
                    "the node table must still be at the answer's revision " + Long.toUnsignedString(revision)
                            + ", was at " + Long.toUnsignedString(now.revision()) + ": ask again");
        }
        return now;
    }

    /** The table as it is now. This is one small call where nothing has changed. */
    public synchronized NodeTable current() {
        return ask();
    }

    private @Nullable NodeTable find(String instance, long revision) {
        for (NodeTable table : newestFirst) {
            if (table.isOf(instance, revision)) {
                return table;
            }
        }
        return null;
    }

    private NodeTable ask() {
        NodeTable newest = newestFirst.peekFirst();
        if (newest != null) {
            ListNodesResponse response = ask(newest.revision());
            // Another server instance may have other nodes at the same revision.
            if (!response.getUnchanged()) {
                return keep(new NodeTable(response));
            }
            if (newest.isOfInstance(response.getRevision().getInstance())) {
                return newest;
            }
        }
        return keep(new NodeTable(ask(0)));
    }

    private ListNodesResponse ask(long known) {
        return client.listNodes(
                ListNodesRequest.newBuilder().setKnownNodeTableRevision(known).build());
    }

    private NodeTable keep(NodeTable table) {
        newestFirst.addFirst(table);
        if (newestFirst.size() > KEPT) {
            newestFirst.removeLast();
        }
        return table;
    }
}
