package io.evenkeel.engine.index;

import io.evenkeel.engine.memory.NodeBits;
import java.util.Arrays;
import org.agrona.collections.IntArrayList;

/**
 * The layout for few domains of many nodes each (zones, racks): ids are dense and recycled.
 *
 * <pre>
 *   nodesIn[d]   how many slots are in the domain; 0 if the id is free
 *   slots[d]     the set of the domain's slots, while ids are below BITS_LIMIT
 *   lists[d]     the same set as a list, for all domains, once there was an id of BITS_LIMIT or above (racks)
 * </pre>
 *
 * A set in {@code slots} takes one bit for each slot of the cluster; one in {@code lists} takes a few bytes for each
 * slot of the domain.
 */
final class NarrowDomains implements DomainLayout {
    private static final int MIN_DOMAINS = 8;

    private int[] nodesIn = {};
    private int limit;
    private final IntArrayList freeIds = new IntArrayList();
    private long[][] slots = {};
    private boolean keepsSlots = true;
    private SlotList[] lists = {};
    private int capacity;

    NarrowDomains(int capacity) {
        this.capacity = capacity;
    }

    /** An immutable copy, without the sets of slots. */
    NarrowDomains frozen() {
        NarrowDomains copy = new NarrowDomains(capacity);
        copy.nodesIn = nodesIn.clone();
        copy.limit = limit;
        copy.keepsSlots = false;
        return copy;
    }

    /** Ids are below this. */
    int limit() {
        return limit;
    }

    int nodesIn(int domain) {
        return nodesIn[domain];
    }

    /** Whether {@link #slotsOf} can be called. */
    boolean keepsSlots() {
        return keepsSlots;
    }

    long[] slotsOf(int domain) {
        return slots[domain];
    }

    /** Whether any slot of {@code domain} is in the first {@code words} words of {@code among}. */
    boolean isAmong(int domain, long[] among, int words) {
        return keepsSlots ? NodeBits.intersects(slots[domain], among, words) : lists[domain].intersects(among, words);
    }

    /**
     * Adds the slots of {@code domain} that are in {@code among} to {@code target}, over {@code words} words of both.
     */
    void addCommon(int domain, long[] among, long[] target, int words) {
        if (keepsSlots) {
            NodeBits.addCommon(slots[domain], among, target, words);
        } else {
            lists[domain].addCommon(among, target, words);
        }
    }

    /** Removes the slots of {@code domain} from words {@code from} to {@code to} of {@code target}. */
    void takeOutOf(int domain, long[] target, int from, int to) {
        if (keepsSlots) {
            NodeBits.andNot(target, slots[domain], from, to);
        } else {
            lists[domain].takeOutOf(target, from, to);
        }
    }

    @Override
    public int enter(int slot, int domain) {
        int entered = domain == Topology.NONE ? newDomain() : domain;
        nodesIn[entered]++;
        if (keepsSlots) {
            NodeBits.set(slots[entered], slot);
        } else {
            lists[entered].add(slot);
        }
        return entered;
    }

    @Override
    public int leave(int slot, int domain, int[] domainOf) {
        if (keepsSlots) {
            NodeBits.clear(slots[domain], slot);
        } else {
            lists[domain].remove(slot);
        }
        if (--nodesIn[domain] > 0) {
            return domain;
        }
        freeIds.addInt(domain);
        return Topology.NONE;
    }

    @Override
    public void growTo(int newCapacity) {
        capacity = newCapacity;
        if (keepsSlots) {
            for (int domain = 0; domain < limit; domain++) {
                slots[domain] = NodeBits.grow(slots[domain], capacity);
            }
        }
    }

    @Override
    public long bytes(int members) {
        long bytes = 4L * nodesIn.length;
        for (long[] set : slots) {
            bytes += 8L * set.length;
        }
        return bytes + (keepsSlots ? 0 : 4L * members + 32L * lists.length);
    }

    private int newDomain() {
        int domain = freeIds.isEmpty() ? limit++ : freeIds.removeAt(freeIds.size() - 1);
        if (domain >= nodesIn.length) {
            nodesIn = Arrays.copyOf(nodesIn, Math.max(MIN_DOMAINS, nodesIn.length * 2));
        }
        if (domain >= Topology.BITS_LIMIT && keepsSlots) {
            turnToLists();
        }
        if (keepsSlots) {
            if (domain >= slots.length) {
                slots = Arrays.copyOf(slots, domain + 1);
            }
            slots[domain] = new long[NodeBits.words(capacity)];
        } else {
            if (domain >= lists.length) {
                lists = Arrays.copyOf(lists, domain * 2);
            }
            lists[domain] = new SlotList();
        }
        return domain;
    }

    /** Converts sets to lists, because there are too many domains for sets. */
    private void turnToLists() {
        keepsSlots = false;
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
}
