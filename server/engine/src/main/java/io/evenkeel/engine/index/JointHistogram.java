package io.evenkeel.engine.index;

import io.evenkeel.engine.memory.IndexPart;
import java.util.Arrays;

/**
 * Counts nodes by two things at once: their domain in a narrow topology (zone), and their count in a group over single
 * nodes (hostname). So an answer can find which scores occur in the cluster, and the best one, without looking at any
 * node.
 *
 * <pre>
 *   nodesAt[domain]   a histogram of the counts of the domain's nodes
 *   first[domain]     no node of the domain below this slot holds the domain's least count
 * </pre>
 *
 * It is empty unless the topology keeps a set of slots for each of its domains, because otherwise no answer can use it.
 *
 * <p>Several readers may move {@code first} up at the same time. All of them write the same slot, since no count
 * changes while they read. A reader that still sees an older value begins its search further down, which costs only
 * time. The engine's lock orders a reader's write before those of the next writer.
 */
public final class JointHistogram extends IndexPart implements SpreadGroup.Listener {
    record Key(Topology topology, SpreadGroup group) {}

    public final Topology topology;
    public final SpreadGroup group;
    private CountHistogram[] nodesAt = {};
    private int[] first = {};

    /** @param group a group over {@link Topology.Kind#NODE}, whose domains are slots */
    JointHistogram(Topology topology, SpreadGroup group) {
        this.topology = topology;
        this.group = group;
        recount();
    }

    /** Whether it can be used: it is not empty. */
    public boolean holds() {
        return topology.keepsSlots();
    }

    /** The counts of the nodes in {@code domain}, below the topology's domain limit. */
    public CountHistogram nodesAt(int domain) {
        return nodesAt[domain];
    }

    /** A slot that is not above the first slot of {@code domain} with the domain's least count. */
    public int first(int domain) {
        return first[domain];
    }

    /**
     * Sets the slot that a search of the domain has found. It is written only if it differs, so that readers do not
     * take the cache line from each other.
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

    /** Called when a slot is about to leave its domain. */
    void leave(int slot) {
        int domain = domainOf(slot);
        if (domain != Topology.NONE) {
            nodesAt[domain].remove(group.counts().get(slot));
            first[domain] = 0;
        }
    }

    /** Called when a slot has entered its domain. */
    void enter(int slot) {
        int domain = domainOf(slot);
        if (!holds() && nodesAt.length > 0) {
            // There is one domain too many for sets of slots.
            recount();
        } else if (domain != Topology.NONE) {
            ensure(domain);
            nodesAt[domain].add(group.counts().get(slot), 1);
            first[domain] = 0;
        }
    }

    /**
     * Recounts from scratch: when it is made, when the topology has changed its layout, and when all counts of the
     * group are set at once.
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
