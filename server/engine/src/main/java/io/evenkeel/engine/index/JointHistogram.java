package io.evenkeel.engine.index;

import io.evenkeel.engine.memory.IndexPart;
import java.util.Arrays;

/**
 * How many nodes hold each pair of (domain of a narrow topology, count of a group over single nodes), kept as pods and
 * nodes come and go: which scores occur in the whole cluster, and which is the best, without a look at any node.
 *
 * <pre>
 *   nodesAt[domain]   a histogram of the counts of the domain's nodes
 *   first[domain]     no node of the domain below this slot holds the domain's least count
 * </pre>
 *
 * Holds while the topology keeps a set of slots for each of its domains, since no answer can use it otherwise; else
 * empty.
 *
 * <p>{@code first} is moved up by readers, several at once. Each of them writes the very slot that all of them find,
 * since no count moves meanwhile; a reader that still sees an older value begins its look further down, which costs
 * time and changes nothing. The engine's lock puts a reader's write before the next writer's.
 */
public final class JointHistogram extends IndexPart implements SpreadGroup.Listener {
    record Key(Topology topology, SpreadGroup group) {}

    public final Topology topology;
    public final SpreadGroup group;
    private CountHistogram[] nodesAt = {};
    private int[] first = {};

    /** @param group over {@link Topology.Kind#NODE}: its domains are slots */
    JointHistogram(Topology topology, SpreadGroup group) {
        this.topology = topology;
        this.group = group;
        recount();
    }

    /** Whether it can be asked. */
    public boolean holds() {
        return topology.keepsSlots();
    }

    /** The counts of the nodes in {@code domain}, below the topology's domain limit. */
    public CountHistogram nodesAt(int domain) {
        return nodesAt[domain];
    }

    /** A slot of {@code domain} at or below the first one that holds the domain's least count. */
    public int first(int domain) {
        return first[domain];
    }

    /**
     * What a look through the domain has found; written only where it is news, so that readers do not take the memory
     * from each other.
     */
    public void setFirst(int domain, int slot) {
        if (first[domain] != slot) {
            first[domain] = slot;
        }
    }

    @Override
    public void moveUp(int slot, int count) {
        int domain = domainOf(slot);
        if (domain != Topology.NONE) {
            CountHistogram histogram = nodesAt[domain];
            int least = histogram.minimum();
            histogram.moveUp(count);
            if (histogram.minimum() != least) {
                first[domain] = 0;
            }
        }
    }

    @Override
    public void moveDown(int slot, int count) {
        int domain = domainOf(slot);
        if (domain != Topology.NONE) {
            CountHistogram histogram = nodesAt[domain];
            int least = histogram.minimum();
            histogram.moveDown(count);
            if (count - 1 < least) {
                first[domain] = slot;
            } else if (count - 1 == least) {
                first[domain] = Math.min(first[domain], slot);
            }
        }
    }

    /** A slot is about to leave its domain. */
    void leave(int slot) {
        int domain = domainOf(slot);
        if (domain != Topology.NONE) {
            nodesAt[domain].remove(group.counts().get(slot));
            first[domain] = 0;
        }
    }

    /** A slot has entered its domain. */
    void enter(int slot) {
        int domain = domainOf(slot);
        if (!holds() && nodesAt.length > 0) {
            // The slot's domain is one too many.
            recount();
        } else if (domain != Topology.NONE) {
            ensure(domain);
            nodesAt[domain].add(group.counts().get(slot), 1);
            first[domain] = 0;
        }
    }

    /**
     * Counts anew: at first sight, when the topology has turned to its other layout, and when the counts of the group
     * are taken over at once.
     */
    @Override
    public void recount() {
        nodesAt = new CountHistogram[0];
        first = new int[0];
        if (!holds()) {
            return;
        }
        ensure(topology.domainLimit() - 1);
        if (group.histogram().maximum() == 0) {
            for (int domain = 0; domain < topology.domainLimit(); domain++) {
                nodesAt[domain].add(0, topology.nodesIn(domain));
            }
            return;
        }
        int[] domainOf = topology.domainsBySlot();
        for (int slot = 0; slot < domainOf.length; slot++) {
            if (domainOf[slot] != Topology.NONE) {
                nodesAt[domainOf[slot]].add(group.counts().get(slot), 1);
            }
        }
    }

    @Override
    public long bytes() {
        long bytes = 64 + 4L * first.length;
        for (CountHistogram each : nodesAt) {
            bytes += 48 + each.bytes();
        }
        return bytes;
    }

    private int domainOf(int slot) {
        return holds() ? topology.domainOf(slot) : Topology.NONE;
    }

    private void ensure(int domain) {
        int had = nodesAt.length;
        if (domain >= had) {
            nodesAt = Arrays.copyOf(nodesAt, domain + 1);
            first = Arrays.copyOf(first, domain + 1);
            for (int d = had; d <= domain; d++) {
                nodesAt[d] = new CountHistogram();
            }
        }
    }
}
