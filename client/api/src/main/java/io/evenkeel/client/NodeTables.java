package io.evenkeel.client;

import com.google.rpc.Code;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Node tables for reading packed answers: asks for the table when an answer refers to one that it does not have, which
 * is when nodes have come or gone. Keeps the last few, for answers that were under way meanwhile. Thread-safe; one for
 * each client will do.
 */
public final class NodeTables {
    private static final int KEPT = 4;

    private final PlacementClient client;
    private final Deque<NodeTable> newestFirst = new ArrayDeque<>();

    public NodeTables(PlacementClient client) {
        this.client = client;
    }

    /**
     * The table that the answers refer to, asked for where it is not at hand.
     *
     * @throws PlacementException ABORTED where nodes have come or gone since the answer: its indexes could mean other
     *     nodes by now, so ask the question again
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

    /** The table as it is now; one small call where nothing has changed. */
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
            // Another instance may be at the same number with other nodes.
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
