package io.evenkeel.client;

import io.evenkeel.v1.NodeRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The node names by index, in one version of the node table, which a token identifies. Immutable. */
public final class NodeTable {
    static final NodeTable EMPTY = new NodeTable("", List.of());

    /** A server assigns only indexes below this, because it has no room for more nodes. */
    private static final int INDEX_LIMIT = 1 << 26;

    private final String token;
    private final List<String> names;
    /** Created when it is first needed. */
    private volatile @Nullable Map<String, Integer> indexes;

    private NodeTable(String token, List<String> names) {
        this.token = token;
        this.names = names;
    }

    /**
     * A copy with changes applied.
     *
     * @param whole whether the runs replace the whole table
     * @param token the new table's token
     * @throws PlacementException INTERNAL if a run has invalid indexes
     */
    NodeTable changed(boolean whole, List<NodeRun> runs, String token) {
        List<String> changed = whole ? new ArrayList<>() : new ArrayList<>(names);
        for (NodeRun run : runs) {
            int index = run.getFirstIndex();
            if (index < 0 || index > INDEX_LIMIT - run.getNamesCount()) {
                throw new PlacementException(
                        ErrorCode.INTERNAL,
                        "invalid server response: " + run.getNamesCount() + " nodes from index " + index);
            }
            for (String name : run.getNamesList()) {
                while (changed.size() <= index) {
                    changed.add("");
                }
                changed.set(index++, name);
            }
        }
        int size = changed.size();
        while (size > 0 && changed.get(size - 1).isEmpty()) {
            size--;
        }
        return new NodeTable(token, List.copyOf(changed.subList(0, size)));
    }

    /** Identifies this table. No other table of any server has the same token. */
    public String token() {
        return token;
    }

    /** The largest index in use, plus one. */
    public int size() {
        return names.size();
    }

    /**
     * The node's name; "" if no node has that index.
     *
     * @throws IndexOutOfBoundsException if the index is negative
     */
    public String name(int index) {
        return index < names.size() ? names.get(index) : "";
    }

    /** The node's index, or -1 if the table does not contain it. */
    public int index(String name) {
        Map<String, Integer> known = indexes;
        if (known == null) {
            known = indexed();
            indexes = known;
        }
        return known.getOrDefault(name, -1);
    }

    private Map<String, Integer> indexed() {
        Map<String, Integer> made = new HashMap<>(names.size() * 4 / 3 + 1);
        for (int index = 0; index < names.size(); index++) {
            if (!names.get(index).isEmpty()) {
                made.put(names.get(index), index);
            }
        }
        return made;
    }
}
