package io.evenkeel.engine.cluster;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.ListHeads;
import io.evenkeel.engine.memory.RecycledIds;
import io.evenkeel.engine.memory.StringTable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Stores the hosts: names that nodes have or that pods are bound to, each with an id. A host exists while its node is
 * known or a pod is bound to it, so pods can arrive before their node. Ids are dense and recycled.
 *
 * <pre>
 *   name[host]      its id in the string table
 *   slot[host]      the slot of its node, NONE if the node is not known
 *   first[host]     the first of its pods ({@link PodList})
 * </pre>
 */
public final class HostTable implements ListHeads {
    public static final int NONE = -1;

    private final StringTable strings;
    private final int most;
    private final Table table = new Table();
    private int[] name = new int[16];
    private int[] slot = new int[16];
    private int[] first = new int[16];
    private final RecycledIds ids;

    public HostTable(StringTable strings, int most) {
        this.strings = strings;
        this.most = most;
        ids = new RecycledIds();
    }

    /**
     * A copy with the same ids.
     *
     * @param strings a copy of the other's
     */
    public HostTable(HostTable other, StringTable strings) {
        this.strings = strings;
        most = other.most;
        table.shareWith(other.table);
        name = other.name.clone();
        slot = other.slot.clone();
        first = other.first.clone();
        ids = new RecycledIds(other.ids);
    }

    /**
     * The host of a name; created if there is none.
     *
     * @throws CapacityException if there is no room for it; nothing is changed
     */
    public int acquire(String hostName) {
        byte[] text = hostName.getBytes(StandardCharsets.UTF_8);
        return acquire(text, 0, text.length, KeyedHash.of(text, 0, text.length));
    }

    /** The host whose name is in {@code text} and has the {@link KeyedHash} {@code hash}; created if there is none. */
    public int acquire(byte[] text, int from, int to, int hash) {
        int host = find(text, from, to, hash);
        if (host != NONE) {
            return host;
        }
        if (ids.areAllTaken(most)) {
            throw new CapacityException("names of nodes must be at most " + most
                    + ", which are all in use: delete nodes, or pods on deleted nodes");
        }
        return add(strings.acquire(text, from, to, hash));
    }

    /** The host of a name, or NONE. */
    public int find(byte[] text, int from, int to, int hash) {
        int id = strings.find(text, from, to, hash);
        return id == StringTable.NONE ? NONE : table.find(id);
    }

    /** Removes the host if it has neither a node nor pods. */
    public void dropIfBare(int host) {
        if (slot[host] == NONE && first[host] == PodList.NONE) {
            table.remove(host);
            strings.release(name[host]);
            ids.give(host);
        }
    }

    public String name(int host) {
        return strings.get(name[host]);
    }

    /** The id of its name in the string table. */
    public int nameId(int host) {
        return name[host];
    }

    /** The slot of the host's node, or NONE if the node is not known. */
    public int slot(int host) {
        return slot[host];
    }

    /** Ids are below this. */
    public int limit() {
        return ids.limit();
    }

    public void setSlot(int host, int ofNode) {
        slot[host] = ofNode;
    }

    @Override
    public int first(int host) {
        return first[host];
    }

    @Override
    public void setFirst(int host, int pod) {
        first[host] = pod;
    }

    /** How many hosts there are. */
    public int size() {
        return table.size();
    }

    private int add(int nameId) {
        int host = ids.take();
        if (host == name.length) {
            name = Arrays.copyOf(name, host * 2);
            slot = Arrays.copyOf(slot, host * 2);
            first = Arrays.copyOf(first, host * 2);
        }
        name[host] = nameId;
        slot[host] = NONE;
        first[host] = PodList.NONE;
        table.insert(host, table.hashOf(host));
        return host;
    }

    private final class Table extends IdTable {
        @Override
        protected int hashOf(int host) {
            return name[host];
        }

        int find(int nameId) {
            for (int cell = first(nameId); cell != NONE; cell = next(cell, nameId)) {
                if (name[at(cell)] == nameId) {
                    return at(cell);
                }
            }
            return NONE;
        }
    }
}
