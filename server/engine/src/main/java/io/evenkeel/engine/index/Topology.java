package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.labels.LabelIds;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.memory.StringTable;
import java.util.Arrays;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.IntArrayList;

/**
 * The domain of every node slot under one topology key.
 *
 * <pre>
 *   domainOf[slot]   the slot's domain id, NONE where it has none
 *   carriers         the slots that carry the label itself, carrierCount of them
 *
 *   narrow (zones):      domain ids are dense and recycled; nodesIn[d]; slots[d] is the set of d's slots while ids are
 *                        below BITS_LIMIT,
 *                        lists[d] once one has been above (racks)
 *   wide (hostnames):    a domain's id is the slot of one of its nodes, its representative; followers are the slots
 *                        that are not their own
 *                        representative (two nodes share a value), few
 * </pre>
 *
 * A wide topology lets counts stand in bit planes by slot. The layout follows the labels: see
 * {@link #wantsOtherLayout}.
 */
public final class Topology extends NodePart {
    /** Which value counts as a slot's domain. */
    public enum Kind {
        /** The label's value; nodes without the label are in no domain. */
        LABEL,
        /**
         * The same, but nodes without the label are in the domain of the empty value: kube-scheduler's system defaults
         * count them so.
         */
        LABEL_OR_EMPTY,
        /** Each node is a domain of its own, whatever its labels: soft hostname counts are those of the very node. */
        NODE
    }

    public static final int NONE = -1;
    public static final int BITS_LIMIT = 64;
    private static final long[] NO_SLOTS = {};

    public final Kind kind;
    public final String key;
    public final int keyId;
    private final int emptyId;
    private final int wideFrom;

    private int[] domainOf = {};
    private long[] carriers = NO_SLOTS;
    private int carrierCount;
    private boolean wide;
    private int domains;
    private int members;
    /** By value id, scattered. */
    private Int2IntHashMap domainOfValue = new Int2IntHashMap(NONE);

    private int[] nodesIn = {};
    private int domainLimit;
    private final IntArrayList freeDomains = new IntArrayList();
    private long[][] slots = {};
    private boolean slotsKept = true;
    private SlotList[] lists = {};

    private int[] followers = {};

    /**
     * @param keyId the key's id, or NONE for {@link Kind#NODE}
     * @param emptyId the id of the empty string
     * @param wideFrom the number of domains from which a topology may be wide
     */
    Topology(Kind kind, String key, int keyId, int emptyId, int wideFrom) {
        this.kind = kind;
        this.key = key;
        this.keyId = keyId;
        this.emptyId = emptyId;
        this.wideFrom = wideFrom;
        this.wide = kind == Kind.NODE;
    }

    /**
     * A copy that stays as it is: which slot is in which domain, and who carries the label; without sets and planes of
     * slots.
     */
    public Topology frozen() {
        Topology copy = new Topology(kind, key, keyId, emptyId, wideFrom);
        copy.domainOf = domainOf.clone();
        copy.carriers = carriers.clone();
        copy.carrierCount = carrierCount;
        copy.wide = wide;
        copy.domains = domains;
        copy.members = members;
        copy.nodesIn = nodesIn.clone();
        copy.domainLimit = domainLimit;
        copy.slotsKept = false;
        copy.followers = followers;
        return copy;
    }

    /**
     * What names the domain of a node on {@code slot}: the id of its value, or for {@link Kind#NODE} the slot itself;
     * NONE where it is in no domain.
     */
    int valueOf(int slot, NodeTable.Attributes node) {
        return kind == Kind.NODE ? slot : valueIn(node.labels());
    }

    /** The value that a node with these labels has here, or NONE; {@link Kind#NODE} has none but a slot. */
    public int valueIn(int[] labels) {
        int value = LabelIds.valueOf(labels, keyId);
        return value == NONE && kind == Kind.LABEL_OR_EMPTY ? emptyId : value;
    }

    @Override
    void take(int slot, NodeTable.Attributes node) {
        int value = valueOf(slot, node);
        setCarrier(slot, isCarriedBy(node));
        if (value != NONE) {
            enter(slot, value);
        }
    }

    /** Early: there is little to turn as long as few slots are taken in. */
    @Override
    void sliceIsTaken(NodeTable nodes) {
        if (wantsOtherLayout()) {
            turn(nodes);
        }
    }

    /** Whether a node carries the label itself. */
    boolean isCarriedBy(NodeTable.Attributes node) {
        return kind == Kind.NODE || LabelIds.valueOf(node.labels(), keyId) != StringTable.NONE;
    }

    public boolean isWide() {
        return wide;
    }

    public int domainOf(int slot) {
        return slot < domainOf.length ? domainOf[slot] : NONE;
    }

    public int[] domainsBySlot() {
        return domainOf;
    }

    public long[] carriers() {
        return carriers;
    }

    /** How many slots carry the label itself. */
    public int carrierCount() {
        return carrierCount;
    }

    public int domains() {
        return domains;
    }

    /** How many slots are in a domain. */
    int members() {
        return members;
    }

    /** Narrow: how many slots are in {@code domain}. */
    int nodesIn(int domain) {
        return nodesIn[domain];
    }

    /** Domain ids are below this (narrow), or slots are (wide). */
    public int domainLimit() {
        return wide ? domainOf.length : domainLimit;
    }

    /** The set of slots of a domain, where sets are kept. */
    public long[] slotsOf(int domain) {
        return slots[domain];
    }

    /** Whether each domain's set of slots is kept: few, narrow domains. */
    public boolean keepsSlots() {
        return slotsKept && !wide;
    }

    /**
     * Narrow: whether any slot of {@code domain} is in the first {@code words} words of {@code among}, which hold all
     * that is in it.
     */
    public boolean isAmong(int domain, long[] among, int words) {
        return slotsKept ? NodeBits.intersects(slots[domain], among, words) : lists[domain].intersects(among, words);
    }

    /**
     * Narrow: adds the slots of {@code domain} that are in {@code among} to {@code target}, over {@code words} words of
     * both.
     */
    public void addCommon(int domain, long[] among, long[] target, int words) {
        if (slotsKept) {
            NodeBits.addCommon(slots[domain], among, target, words);
        } else {
            lists[domain].addCommon(among, target, words);
        }
    }

    /** Narrow: takes the slots of {@code domain} out of words {@code from} to {@code to} of {@code target}. */
    public void takeOutOf(int domain, long[] target, int from, int to) {
        if (slotsKept) {
            NodeBits.andNot(target, slots[domain], from, to);
        } else {
            lists[domain].takeOutOf(target, from, to);
        }
    }

    /** Whether {@code domain} is in use. */
    public boolean isDomain(int domain) {
        return wide ? domainOf(domain) == domain : nodesIn[domain] > 0;
    }

    /** Wide: the slots that are not their own representative. */
    public int[] followers() {
        return followers;
    }

    @Override
    public long bytes() {
        long bytes = 256 + 4L * (domainOf.length + nodesIn.length + followers.length) + 8L * carriers.length;
        for (long[] set : slots) {
            bytes += 8L * set.length;
        }
        // A list of slots for each domain where sets are not kept.
        return bytes + 8L * domainOfValue.capacity() + (slotsKept ? 0 : 4L * members + 32L * lists.length);
    }

    /** The domain that {@link #valueOf} names, or NONE where there is none of that name yet. */
    public int domainOfValue(int value) {
        return kind == Kind.NODE ? domainOf(value) : domainOfValue.get(KeyedHash.scatter(value));
    }

    @Override
    void growTo(int capacity) {
        int old = domainOf.length;
        if (capacity > old) {
            domainOf = Arrays.copyOf(domainOf, capacity);
            Arrays.fill(domainOf, old, capacity, NONE);
            carriers = NodeBits.grow(carriers, capacity);
            if (keepsSlots()) {
                for (int d = 0; d < domainLimit; d++) {
                    slots[d] = NodeBits.grow(slots[d], capacity);
                }
            }
        }
    }

    /** Puts a slot that is in no domain into that of {@code valueId}. */
    void enter(int slot, int valueId) {
        int domain = domainOfValue(valueId);
        if (wide) {
            if (domain == NONE) {
                domain = slot;
                domains++;
                if (kind != Kind.NODE) {
                    domainOfValue.put(KeyedHash.scatter(valueId), slot);
                }
            } else {
                followers = Arrays.copyOf(followers, followers.length + 1);
                followers[followers.length - 1] = slot;
            }
        } else {
            if (domain == NONE) {
                domain = newDomain(valueId);
            }
            nodesIn[domain]++;
            if (slotsKept) {
                NodeBits.set(slots[domain], slot);
            } else {
                lists[domain].add(slot);
            }
        }
        domainOf[slot] = domain;
        members++;
    }

    /**
     * Takes a slot out of its domain.
     *
     * @return the domain's new id where the slot was its representative and others remain; the domain itself otherwise
     */
    int leave(int slot, int valueId) {
        int domain = domainOf[slot];
        domainOf[slot] = NONE;
        members--;
        if (!wide) {
            if (slotsKept) {
                NodeBits.clear(slots[domain], slot);
            } else {
                lists[domain].remove(slot);
            }
            if (--nodesIn[domain] == 0) {
                domains--;
                domainOfValue.remove(KeyedHash.scatter(valueId));
                freeDomains.addInt(domain);
            }
            return domain;
        }
        if (domain != slot) {
            dropFollower(slot);
            return domain;
        }
        int heir = heirOf(domain);
        if (heir == NONE) {
            domains--;
            if (kind != Kind.NODE) {
                domainOfValue.remove(KeyedHash.scatter(valueId));
            }
            return domain;
        }
        dropFollower(heir);
        for (int follower : followers) {
            if (domainOf[follower] == domain) {
                domainOf[follower] = heir;
            }
        }
        domainOf[heir] = heir;
        domainOfValue.put(KeyedHash.scatter(valueId), heir);
        return heir;
    }

    void setCarrier(int slot, boolean carries) {
        if (carries != NodeBits.get(carriers, slot)) {
            carrierCount += carries ? 1 : -1;
            NodeBits.assign(carriers, slot, carries);
        }
    }

    /**
     * Whether the other layout has become the better one: wide from {@code wideFrom} domains on while at most one
     * member in eight follows another; narrow again below half of that or when more than a quarter follow.
     */
    boolean wantsOtherLayout() {
        if (kind == Kind.NODE) {
            return false;
        }
        return wide
                ? domains * 2 < wideFrom || (members - domains) * 4 > members
                : domains > wideFrom && (members - domains) * 8 <= members;
    }

    /**
     * Turns to the other layout.
     *
     * @param nodes as the topology knows them
     * @return for each old domain id its new one, NONE where there was no such domain
     */
    int[] turn(NodeTable nodes) {
        int[] old = domainOf.clone();
        int[] mapping = new int[domainLimit()];
        Arrays.fill(mapping, NONE);
        reset(!wide);
        for (int slot = 0; slot < old.length; slot++) {
            if (old[slot] != NONE) {
                enter(slot, valueOf(slot, nodes.attributes(slot)));
            }
        }
        for (int slot = 0; slot < old.length; slot++) {
            if (old[slot] != NONE) {
                mapping[old[slot]] = domainOf[slot];
            }
        }
        return mapping;
    }

    private void reset(boolean toWide) {
        wide = toWide;
        Arrays.fill(domainOf, NONE);
        lists = new SlotList[0];
        domains = 0;
        members = 0;
        domainOfValue = new Int2IntHashMap(NONE);
        nodesIn = new int[0];
        domainLimit = 0;
        freeDomains.clear();
        slots = new long[0][];
        slotsKept = true;
        followers = new int[0];
    }

    private int newDomain(int valueId) {
        int domain = freeDomains.isEmpty() ? domainLimit++ : freeDomains.removeAt(freeDomains.size() - 1);
        if (domain >= nodesIn.length) {
            nodesIn = Arrays.copyOf(nodesIn, Math.max(8, nodesIn.length * 2));
        }
        if (domain >= BITS_LIMIT && slotsKept) {
            turnToLists();
        }
        if (slotsKept) {
            if (domain >= slots.length) {
                slots = Arrays.copyOf(slots, domain + 1);
            }
            slots[domain] = new long[NodeBits.words(domainOf.length)];
        } else {
            if (domain >= lists.length) {
                lists = Arrays.copyOf(lists, domain * 2);
            }
            lists[domain] = new SlotList();
        }
        domainOfValue.put(KeyedHash.scatter(valueId), domain);
        domains++;
        return domain;
    }

    /** There are too many domains for a set of slots each. */
    private void turnToLists() {
        slotsKept = false;
        lists = new SlotList[slots.length];
        for (int domain = 0; domain < slots.length; domain++) {
            lists[domain] = new SlotList();
            for (int w = 0; w < slots[domain].length; w++) {
                for (long left = slots[domain][w]; left != 0; left &= left - 1) {
                    lists[domain].add(w << 6 | Long.numberOfTrailingZeros(left));
                }
            }
        }
        slots = new long[0][];
    }

    private int heirOf(int domain) {
        for (int follower : followers) {
            if (domainOf[follower] == domain) {
                return follower;
            }
        }
        return NONE;
    }

    private void dropFollower(int slot) {
        int[] kept = new int[followers.length - 1];
        int length = 0;
        for (int follower : followers) {
            if (follower != slot) {
                kept[length++] = follower;
            }
        }
        followers = kept;
    }
}
