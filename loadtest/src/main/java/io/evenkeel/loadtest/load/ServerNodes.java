package io.evenkeel.loadtest.load;

import io.evenkeel.client.NodeTable;
import io.evenkeel.client.PlacementClient;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Gets the names of a server's nodes. */
public final class ServerNodes {
    private ServerNodes() {}

    /** The names of all nodes. */
    public static List<String> all(PlacementClient server) {
        NodeTable table = server.nodeTables().current();
        return IntStream.range(0, table.size())
                .mapToObj(table::name)
                .filter(name -> !name.isEmpty())
                .toList();
    }

    /**
     * The names of {@code wanted} nodes, taken evenly from all nodes.
     *
     * @throws IllegalArgumentException if there are fewer
     */
    static List<String> some(PlacementClient server, int wanted) {
        List<String> all = all(server);
        if (wanted > all.size()) {
            throw new IllegalArgumentException(
                    "--candidates must be at most the number of the server's nodes, " + all.size() + ", was " + wanted);
        }
        List<String> some = new ArrayList<>(wanted);
        for (long i = 0; i < wanted; i++) {
            some.add(all.get((int) (i * all.size() / wanted)));
        }
        return some;
    }
}
