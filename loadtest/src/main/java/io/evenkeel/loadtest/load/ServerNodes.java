package io.evenkeel.loadtest.load;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.v1.ListNodesRequest;
import java.util.ArrayList;
import java.util.List;

/** Gets the names of the nodes that a server has. */
public final class ServerNodes {
    private ServerNodes() {}

    /** The names of all nodes. */
    public static List<String> all(PlacementClient server) {
        return server.listNodes(ListNodesRequest.getDefaultInstance()).getNamesList().stream()
                .filter(name -> !name.isEmpty())
                .toList();
    }

    /**
     * The names of {@code wanted} nodes, taken evenly from all.
     *
     * @throws IllegalArgumentException where there are fewer
     */
    static List<String> some(PlacementClient server, int wanted) {
        List<String> all = all(server);
        if (wanted > all.size()) {
            throw new IllegalArgumentException(
                    "--candidates must be at most the server's nodes, " + all.size() + ", was " + wanted);
        }
        List<String> some = new ArrayList<>(wanted);
        for (long i = 0; i < wanted; i++) {
            some.add(all.get((int) (i * all.size() / wanted)));
        }
        return some;
    }
}
