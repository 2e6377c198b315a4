package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.labels.LabelIds;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.memory.StringTable;
import java.util.Arrays;
import java.util.Objects;
import org.agrona.collections.Int2IntHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Knows the domain of every slot under one topology key.
 *
 * <pre>
 *   domainOf[slot]   the slot's domain id, NONE if it has none
 *   members          how many slots have a domain
 *   domainOfValue    the domain id of each value that a slot has, by scattered value id; unused for NODE
 *   carriers         the slots whose nodes have the label itself; there are carrierCount
 *   layout           what domain ids are: narrow ({@link NarrowDomains}) or wide ({@link WideDomains})
 * </pre>
 *
 * In a wide topology, counts are bit planes by slot. The layout depends on the labels: see {@link #wantsOtherLayout}.
 * Events use the layout through its interface. Passes first determine which layout it is, so that calls in their loops
 * have only one target.
 */
public final class Topology extends NodePart {
    /** What a slot's domain is. */
    public enum Kind {
        /** The value of the label. Nodes without the label are in no domain. */
        LABEL,
        /**
         * The value of the label. Nodes without the label are in the domain of the empty value, because
         * kube-scheduler's system defaults count them so.
         */
        LABEL_OR_EMPTY,
        /** Each node is its own domain, whatever its labels are: soft constraints on hostname count by node. */
        NODE
    }

    public static final int NONE = -1;
    public static final int BITS_LIMIT = 64;
    private static final int[] NO_SLOTS = {};

    public final Kind kind;
    public final String key;
    public final int keyId;
    private final int emptyId;
    private final int narrowUpTo;

    private int[] domainOf = {};
    private long[] carriers = {};
    private int carrierCount;
    private int domains;
    private int members;
    private Int2IntHashMap domainOfValue = new Int2IntHashMap(NONE);
    private DomainLayout layout;

    /** The layout if it is narrow; otherwise null. */
    private @Nullable NarrowDomains narrow;

    /** The layout if it is wide; otherwise null. */
    private @Nullable WideDomains wide;

    /**
     * @param keyId the key's id
     * @param emptyId the id of the empty string
     * @param narrowUpTo a topology with more domains may be wide
     */
    Topology(Kind kind, String key, int keyId, int emptyId, int narrowUpTo) {
        this.kind = kind;
        this.key = key;
        this.keyId = keyId;
        this.emptyId = emptyId;
        this.narrowUpTo = narrowUpTo;
        layout = kind == Kind.NODE ? lay(new WideDomains()) : lay(new NarrowDomains(0));
    }

    private DomainLayout lay(NarrowDomains domains) {
        narrow = domains;
        wide = null;
        return domains;
    }

    private DomainLayout lay(WideDomains domains) {
        narrow = null;
        wide = domains;
        return domains;
    }

    /**
     * An immutable copy: the domain of each slot, and which nodes have the label. It has no sets and planes of slots.
     */
    public Topology frozen() {
        Topology copy = new Topology(kind, key, keyId, emptyId, narrowUpTo);
        copy.domainOf = domainOf.clone();
        copy.carriers = carriers.clone();
        copy.carrierCount = carrierCount;
        copy.domains = domains;
        copy.members = members;
        copy.layout = wide == null ? copy.lay(narrow().frozen()) : copy.lay(wide.frozen());
        return copy;
    }

    // ---- nodes

    /**
     * The value that names the domain of a node on {@code slot}: the id of its label's value, or for {@link Kind#NODE}
     * the slot itself; NONE if it is in no domain.
     */
    int valueOf(int slot, NodeSlots.Attributes node) {
        return kind == Kind.NODE ? slot : valueIn(node.labels());
    }

    /** The value that names the domain of a node with these labels, or NONE. Not for {@link Kind#NODE}. */
    public int valueIn(int[] labels) {
        int value = LabelIds.valueOf(labels, keyId);
        return value == NONE && kind == Kind.LABEL_OR_EMPTY ? emptyId : value;
    }

    /** Whether a node has the label itself. */
    boolean isCarriedBy(NodeSlots.Attributes node) {
        return kind == Kind.NODE || LabelIds.valueOf(node.labels(), keyId) != StringTable.NONE;
    }

    @Override
    void take(int slot, NodeSlots.Attributes node) {
        int value = valueOf(slot, node);
        setCarrier(slot, isCarriedBy(node));
        if (value != NONE) {
            enter(slot, value);
        }
    }

    /** Changes the layout early, while few slots are built and little must be converted. */
    @Override
    void sliceIsTaken(NodeSlots nodes) {
        if (wantsOtherLayout()) {
            turn(nodes);
        }
    }

    @Override
    void growTo(int capacity) {
        int old = domainOf.length;
        if (capacity > old) {
            domainOf = Arrays.copyOf(domainOf, capacity);
            Arrays.fill(domainOf, old, capacity, NONE);
            carriers = NodeBits.grow(carriers, capacity);
            layout.growTo(capacity);
        }
    }

    void setCarrier(int slot, boolean carries) {
        if (carries != NodeBits.get(carriers, slot)) {
            carrierCount += carries ? 1 : -1;
            NodeBits.assign(carriers, slot, carries);
        }
    }

    /** Puts a slot that is in no domain into the domain of {@code value}, a value from {@link #valueOf}. */
    void enter(int slot, int value) {
        int known = domainOfValue(value);
        int domain = layout.enter(slot, known);
        domainOf[slot] = domain;
        members++;
        if (known == NONE) {
            domains++;
            name(value, domain);
        }
    }

    /**
     * Removes a slot from the domain of {@code value}, a value from {@link #valueOf}.
     *
     * @return the new id of the domain if the slot was its representative and other slots remain; otherwise the
     *     unchanged id
     */
    int leave(int slot, int value) {
        int domain = domainOf[slot];
        domainOf[slot] = NONE;
        members--;
        int left = layout.leave(slot, domain, domainOf);
        if (left == NONE) {
            domains--;
            domainOfValue.remove(KeyedHash.scatter(value));
            return domain;
        }
        if (left != domain) {
            name(value, left);
        }
        return left;
    }

    private void name(int value, int domain) {
        if (kind != Kind.NODE) {
            domainOfValue.put(KeyedHash.scatter(value), domain);
        }
    }

    // ---- the layout

    /**
     * Whether the other layout is better now. A topology becomes wide with more than {@code narrowUpTo} domains, if at
     * most one member in eight is a follower. It becomes narrow again below half as many domains, or if more than a
     * quarter of the members are followers.
     */
    boolean wantsOtherLayout() {
        if (kind == Kind.NODE) {
            return false;
        }
        return isWide()
                ? domains * 2 < narrowUpTo || (members - domains) * 4 > members
                : domains > narrowUpTo && (members - domains) * 8 <= members;
    }

    /**
     * Changes to the other layout.
     *
     * @param nodes the nodes, in the state that the topology has of them
     * @return the new id for each old domain id; NONE if there was no such domain
     */
    int[] turn(NodeSlots nodes) {
        int[] old = domainOf.clone();
        int[] mapping = new int[domainLimit()];
        Arrays.fill(mapping, NONE);
        Arrays.fill(domainOf, NONE);
        domains = 0;
        members = 0;
        domainOfValue = new Int2IntHashMap(NONE);
        layout = isWide() ? lay(new NarrowDomains(domainOf.length)) : lay(new WideDomains());
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

    /** Whether domain ids are slots. */
    public boolean isWide() {
        return narrow == null;
    }

    private NarrowDomains narrow() {
        return Objects.requireNonNull(narrow);
    }

    // ---- what passes read

    public int domainOf(int slot) {
        return slot < domainOf.length ? domainOf[slot] : NONE;
    }

    public int[] domainsBySlot() {
        return domainOf;
    }

    /** The domain that a value from {@link #valueOf} names, or NONE if there is no such domain yet. */
    public int domainOfValue(int value) {
        return kind == Kind.NODE ? domainOf(value) : domainOfValue.get(KeyedHash.scatter(value));
    }

    public long[] carriers() {
        return carriers;
    }

    /** How many slots have nodes with the label itself. */
    public int carrierCount() {
        return carrierCount;
    }

    public int domains() {
        return domains;
    }

    /** All domain ids are below this. In a wide topology these are slots. */
    public int domainLimit() {
        return narrow == null ? domainOf.length : narrow.limit();
    }

    /** Whether {@code domain} is in use. */
    public boolean isDomain(int domain) {
        return narrow == null ? domainOf(domain) == domain : narrow.nodesIn(domain) > 0;
    }

    /** In a wide topology: the slots that are not representatives. */
    public int[] followers() {
        return wide == null ? NO_SLOTS : wide.followers();
    }

    /** In a narrow topology: how many slots are in {@code domain}. */
    int nodesIn(int domain) {
        return narrow().nodesIn(domain);
    }

    /** Whether a set of slots is kept for each domain: in narrow topologies with few domains. */
    public boolean keepsSlots() {
        return narrow != null && narrow.keepsSlots();
    }

    /** The set of slots of a domain, if sets are kept. */
    public long[] slotsOf(int domain) {
        return narrow().slotsOf(domain);
    }

    /** In a narrow topology: whether any slot of {@code domain} is in {@code among}, which has {@code words} words. */
    public boolean isAmong(int domain, long[] among, int words) {
        return narrow().isAmong(domain, among, words);
    }

    /**
     * In a narrow topology: adds the slots of {@code domain} that are in {@code among} to {@code target}, within the
     * first {@code words} words of both.
     */
    public void addCommon(int domain, long[] among, long[] target, int words) {
        narrow().addCommon(domain, among, target, words);
    }

    /**
     * In a narrow topology: removes the slots of {@code domain} from words {@code from} to {@code to} of
     * {@code target}.
     */
    public void takeOutOf(int domain, long[] target, int from, int to) {
        narrow().takeOutOf(domain, target, from, to);
    }

    @Override
    public long bytes() {
        return 256
                + 4L * domainOf.length
                + 8L * carriers.length
                + 8L * domainOfValue.capacity()
                + layout.bytes(members);
    }
}
