package io.evenkeel.engine.cluster;

import io.evenkeel.engine.labels.LabelIds;
import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stores the nodes of the cluster, each in a slot: sets of nodes are sets of slots.
 *
 * <pre>
 *   slot → attributes, uid, resourceVersion, host      known nodes only;
 *                                                      slots are dense, and the lowest free one is used first
 * </pre>
 *
 * {@link #revision} increases whenever a slot is taken or freed, so a slot means the same node as long as the revision
 * stays the same. {@link NodeMoves} has the latest of these moves.
 */
public final class NodeSlots {
    public static final int NONE = -1;

    /** The fields of a node that answers depend on. */
    public static final class Attributes {
        private final String name;
        private final int[] labels;
        private final List<NodeTaint> taints;
        private final boolean unschedulable;
        private final @Nullable NodeAllocatable allocatable;

        public Attributes(NodeObject node, int[] labels) {
            this.name = node.name();
            this.labels = labels;
            this.taints = node.taints();
            this.unschedulable = node.unschedulable();
            this.allocatable = node.allocatable();
        }

        public String name() {
            return name;
        }

        /** Ids of keys and values, in the order of {@link LabelIds}. */
        public int[] labels() {
            return labels;
        }

        public List<NodeTaint> taints() {
            return taints;
        }

        public boolean unschedulable() {
            return unschedulable;
        }

        /** What the node has for pods; null if that was not given. */
        public @Nullable NodeAllocatable allocatable() {
            return allocatable;
        }

        public boolean hasSame(Attributes other) {
            return unschedulable == other.unschedulable
                    && Objects.equals(allocatable, other.allocatable)
                    && taints.equals(other.taints)
                    && Arrays.equals(labels, other.labels);
        }
    }

    private static final long FIRST_REVISION = 1;

    private final NameTable byName = new NameTable();
    private final UidTable byUid = new UidTable();
    private @Nullable Attributes[] attributes = new Attributes[64];
    private @Nullable String[] uids = new String[64];
    private long[] versions = new long[64];
    private int[] hostOfSlot = new int[64];
    private long[] known = new long[1];
    private int limit;
    private int size;

    /** How often attributes were set. */
    private long changed;

    private final NodeMoves moves;

    public NodeSlots() {
        moves = new NodeMoves(FIRST_REVISION);
    }

    /** A copy with the same slots and the same revision, which remembers no moves before that. */
    public NodeSlots(NodeSlots other) {
        byName.shareWith(other.byName);
        byUid.shareWith(other.byUid);
        attributes = other.attributes.clone();
        uids = other.uids.clone();
        versions = other.versions.clone();
        hostOfSlot = other.hostOfSlot.clone();
        known = other.known.clone();
        limit = other.limit;
        size = other.size;
        moves = new NodeMoves(other.revision());
    }

    /** The slot of a known node, or NONE. */
    public int slotOfName(String name) {
        return byName.find(name);
    }

    public int slotOfUid(String uid) {
        return byUid.find(uid);
    }

    /** Assigns a slot to a new node that has the name of {@code host}. */
    public int occupy(int host, String uid, Attributes node) {
        int slot = lowestFree();
        if (slot == attributes.length) {
            int capacity = slot * 2;
            attributes = Arrays.copyOf(attributes, capacity);
            uids = Arrays.copyOf(uids, capacity);
            versions = Arrays.copyOf(versions, capacity);
            hostOfSlot = Arrays.copyOf(hostOfSlot, capacity);
            known = NodeBits.grow(known, capacity);
        }
        limit = Math.max(limit, slot + 1);
        NodeBits.set(known, slot);
        uids[slot] = uid;
        attributes[slot] = node;
        byUid.insert(slot, byUid.hashOf(slot));
        byName.insert(slot, byName.hashOf(slot));
        hostOfSlot[slot] = host;
        size++;
        moves.add(slot, null);
        return slot;
    }

    public void free(int slot) {
        moves.add(slot, attributes(slot).name());
        NodeBits.clear(known, slot);
        byUid.remove(slot);
        byName.remove(slot);
        attributes[slot] = null;
        uids[slot] = null;
        while (limit > 0 && !NodeBits.get(known, limit - 1)) {
            limit--;
        }
        size--;
    }

    /** Sets new attributes of the node in a slot. Its name must stay the same. */
    public void setAttributes(int slot, Attributes node) {
        attributes[slot] = node;
        changed++;
    }

    /** The attributes of all nodes by slot, up to {@link #limit}; null if no node is known. */
    public @Nullable Attributes[] copyOfAttributes() {
        return Arrays.copyOf(attributes, limit);
    }

    public Attributes attributes(int slot) {
        return Objects.requireNonNull(attributes[slot]);
    }

    public boolean isKnown(int slot) {
        return NodeBits.get(known, slot);
    }

    public String uid(int slot) {
        return Objects.requireNonNull(uids[slot]);
    }

    /** Sets the UID of the node in a slot, when a node of the same name replaces it. */
    public void setUid(int slot, String uid) {
        byUid.remove(slot);
        uids[slot] = uid;
        byUid.insert(slot, byUid.hashOf(slot));
    }

    public long version(int slot) {
        return versions[slot];
    }

    public void setVersion(int slot, long version) {
        versions[slot] = version;
    }

    public int hostOf(int slot) {
        return hostOfSlot[slot];
    }

    public long[] known() {
        return known;
    }

    /** Slots in use are below this. */
    public int limit() {
        return limit;
    }

    /** How many slots fit before the table grows; a multiple of 64. */
    public int capacity() {
        return attributes.length;
    }

    public int size() {
        return size;
    }

    public long revision() {
        return moves.revision();
    }

    /** Increases whenever a node comes, goes, or gets new attributes. */
    public long changes() {
        return moves.revision() + changed;
    }

    /** The moves that led to this revision, as far as they are remembered. */
    NodeMoves moves() {
        return moves;
    }

    private int lowestFree() {
        for (int w = 0; w < known.length; w++) {
            if (known[w] != -1L) {
                return w * 64 + Long.numberOfTrailingZeros(~known[w]);
            }
        }
        return known.length * 64;
    }

    private final class NameTable extends IdTable {
        @Override
        protected int hashOf(int slot) {
            return KeyedHash.of(attributes(slot).name());
        }

        int find(String name) {
            int hash = KeyedHash.of(name);
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                if (attributes(at(cell)).name().equals(name)) {
                    return at(cell);
                }
            }
            return NONE;
        }
    }

    private final class UidTable extends IdTable {
        @Override
        protected int hashOf(int slot) {
            return KeyedHash.of(uid(slot));
        }

        int find(String uid) {
            int hash = KeyedHash.of(uid);
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                if (uid(at(cell)).equals(uid)) {
                    return at(cell);
                }
            }
            return NONE;
        }
    }
}
