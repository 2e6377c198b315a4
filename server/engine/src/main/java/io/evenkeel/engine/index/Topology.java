package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.labels.LabelIds;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.memory.StringTable;
import java.util.Arrays;
import java.util.Objects;
import org.agrona.collections.Int2IntHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The domain of every node slot under one topology key.
 *
 * <pre>
 *   domainOf[slot]   the slot's domain id, NONE where it has none; members slots have one
 *   domainOfValue    the domain id of each value that a slot has, by value id, scattered; of all kinds but NODE
 *   carriers         the slots that carry the label itself, carrierCount of them
 *   layout           what domain ids are: narrow ({@link NarrowDomains}) or wide ({@link WideDomains})
 * </pre>
 *
 * A wide topology lets counts stand in bit planes by slot. The layout follows the labels: see
 * {@link #wantsOtherLayout}. Events ask the layout, whichever it is; passes ask the one that they have found to stand,
 * so that no call in their loops has two targets.
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
    private static final int[] NO_SLOTS = {};

    public final Kind kind;
    public final String key;
    public final int keyId;
    private final int emptyId;
    private final int wideFrom;

    private int[] domainOf = {};
    private long[] carriers = {};
    private int carrierCount;
    private int domains;
    private int members;
    private Int2IntHashMap domainOfValue = new Int2IntHashMap(NONE);
    private DomainLayout layout;

    /** The layout, where it is narrow. */
    private @Nullable NarrowDomains narrow;

    /** The layout, where it is wide. */
    private @Nullable WideDomains wide;

    /**
     * @param keyId the key's id
     * @param emptyId the id of the empty string
     * @param wideFrom the number of domains from which a topology may be wide
     */
    Topology(Kind kind, String key, int keyId, int emptyId, int wideFrom) {
        this.kind = kind;
        this.key = key;
        this.keyId = keyId;
        this.emptyId = emptyId;
        this.wideFrom = wideFrom;
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
     * A copy that stays as it is: which slot is in which domain, and who carries the label; without sets and planes of
     * slots.
     */
    public Topology frozen() {
        Topology copy = new Topology(kind, key, keyId, emptyId, wideFrom);
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

    /** Whether a node carries the label itself. */
    boolean isCarriedBy(NodeTable.Attributes node) {
        return kind == Kind.NODE || LabelIds.valueOf(node.labels(), keyId) != StringTable.NONE;
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

    /** Puts a slot that is in no domain into that of {@code value}, as {@link #valueOf} has it. */
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
     * Takes a slot out of the domain of {@code value}, as {@link #valueOf} has it.
     *
     * @return the domain's new id where the slot was its representative and others remain; the domain itself otherwise
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
     * Whether the other layout has become the better one: wide from {@code wideFrom} domains on while at most one
     * member in eight follows another; narrow again below half of that or when more than a quarter follow.
     */
    boolean wantsOtherLayout() {
        if (kind == Kind.NODE) {
            return false;
        }
        return isWide()
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

    /** The domain that {@link #valueOf} names, or NONE where there is none of that name yet. */
    public int domainOfValue(int value) {
        return kind == Kind.NODE ? domainOf(value) : domainOfValue.get(KeyedHash.scatter(value));
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

    /** Domain ids are below this (narrow), or slots are (wide). */
    public int domainLimit() {
        return narrow == null ? domainOf.length : narrow.limit();
    }

    /** Whether {@code domain} is in use. */
    public boolean isDomain(int domain) {
        return narrow == null ? domainOf(domain) == domain : narrow.nodesIn(domain) > 0;
    }

    /** Wide: the slots that are not their own representative. */
    public int[] followers() {
        return wide == null ? NO_SLOTS : wide.followers();
    }

    /** Narrow: how many slots are in {@code domain}. */
    int nodesIn(int domain) {
        return narrow().nodesIn(domain);
    }

    /** Whether each domain's set of slots is kept: few, narrow domains. */
    public boolean keepsSlots() {
        return narrow != null && narrow.keepsSlots();
    }

    /** The set of slots of a domain, where sets are kept. */
    public long[] slotsOf(int domain) {
        return narrow().slotsOf(domain);
    }

    /**
     * Narrow: whether any slot of {@code domain} is in the first {@code words} words of {@code among}, which hold all
     * that is in it.
     */
    public boolean isAmong(int domain, long[] among, int words) {
        return narrow().isAmong(domain, among, words);
    }

    /**
     * Narrow: adds the slots of {@code domain} that are in {@code among} to {@code target}, over {@code words} words of
     * both.
     */
    public void addCommon(int domain, long[] among, long[] target, int words) {
        narrow().addCommon(domain, among, target, words);
    }

    /** Narrow: takes the slots of {@code domain} out of words {@code from} to {@code to} of {@code target}. */
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
