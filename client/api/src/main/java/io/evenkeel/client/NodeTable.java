package io.evenkeel.client;

import io.evenkeel.v1.NodeRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of the nodes by index, in the node table that a token names. Immutable. */
public final class NodeTable {
    static final NodeTable EMPTY = new NodeTable("", List.of());

    /** A server gives out indexes below this: it has no room for more nodes. */
    private static final int INDEX_LIMIT = 1 << 26;

    private final String token;
    private final List<String> names;
    /** Made when it is first needed. */
    private volatile @Nullable Map<String, Integer> indexes;

    private NodeTable(String token, List<String> names) {
        this.token = token;
        this.names = names;
    }

    /**
     * This table with changes.
     *
     * @param whole whether the runs are all that the new table has
     * @param token names the new table
     * @throws PlacementException INTERNAL where a run has indexes that no server gives out
     */
    NodeTable changed(boolean whole, List<NodeRun> runs, String token) {
        List<String> changed = whole ? new ArrayList<>() : new ArrayList<>(names);
        for (NodeRun run : runs) {
            int index = run.getFirstIndex();
            if (index < 0 || index > INDEX_LIMIT - run.getNamesCount()) {
                throw new PlacementException(
                        ErrorCode.INTERNAL,
                        "the server's answer is faulty: it names " + run.getNamesCount() + " nodes from index "
                                + index);
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

    /** Names this table: no other table of any server has the same token. */
    public String token() {
        return token;
    }

    /** One more than the largest index in use. */
    public int size() {
        return names.size();
    }

    /**
     * The node's name; "" where no node has that index.
     *
     * @throws IndexOutOfBoundsException where the index is negative
     */
    public String name(int index) {
        return index < names.size() ? names.get(index) : "";
    }

    /** The node's index, or -1 where the table does not have it. */
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
