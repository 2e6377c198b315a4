package io.evenkeel.client;

import io.evenkeel.v1.ListNodesResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The names of the nodes by index, at one node table revision of one server instance. Immutable. */
public final class NodeTable {
    private final String instance;
    private final long revision;
    private final List<String> names;
    private final Map<String, Integer> indexes;

    NodeTable(ListNodesResponse response) {
        instance = response.getRevision().getInstance();
        revision = response.getNodeTableRevision();
        names = List.copyOf(response.getNamesList());
        indexes = new HashMap<>(names.size() * 4 / 3 + 1);
        for (int index = 0; index < names.size(); index++) {
            if (!names.get(index).isEmpty()) {
                indexes.put(names.get(index), index);
            }
        }
    }

    boolean isOf(String instance, long revision) {
        return this.revision == revision && this.instance.equals(instance);
    }

    boolean isOfInstance(String instance) {
        return this.instance.equals(instance);
    }

    /** The node table revision. */
    public long revision() {
        return revision;
    }

    /** One more than the largest index in use. */
    public int size() {
        return names.size();
    }

    /** The node's name; "" where no node has that index. */
    public String name(int index) {
        return index < names.size() ? names.get(index) : "";
    }

    /** The node's index, or -1 where the table does not have it. */
    public int index(String name) {
        return indexes.getOrDefault(name, -1);
    }
}
