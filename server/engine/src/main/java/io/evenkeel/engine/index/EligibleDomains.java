package io.evenkeel.engine.index;

import io.evenkeel.engine.memory.IndexPart;
import java.util.Arrays;

/**
 * Knows which domains of a topology are eligible: those with an eligible node. Groups that count over these domains are
 * its listeners.
 *
 * <pre>
 *   narrow topology: nodesIn[domain], the eligible nodes of the domain
 *   wide topology:   nothing; a domain is a representative and, rarely, followers, whose eligibility bits are read
 * </pre>
 *
 * A domain is eligible while it has an eligible node. When it becomes eligible or ceases to be, its count is 0 in every
 * group, since pods on nodes that are not eligible do not count.
 */
public final class EligibleDomains extends IndexPart {
    record Key(Topology topology, Eligibility eligibility) {}

    /** Counts over eligible domains. It is called when these change. */
    interface Listener {
        /** A domain has become eligible. No pod counts in it yet. */
        void domainComes();

        /** A domain is no longer eligible. No pod counts in it anymore. */
        void domainGoes();

        /** The id of a domain has changed, to an id that was not in use. */
        void renameDomain(int from, int to);

        /** All ids of domains have changed: {@code mapping[old id]} is the new id, or NONE. */
        void renameDomains(int[] mapping);
    }

    private static final Listener[] NO_LISTENERS = {};

    public final Topology topology;
    public final Eligibility eligibility;
    private int[] nodesIn = {};
    private int domains;
    private Listener[] listeners = NO_LISTENERS;

    EligibleDomains(Topology topology, Eligibility eligibility) {
        this.topology = topology;
        this.eligibility = eligibility;
        recount();
    }

    private EligibleDomains(EligibleDomains from, Topology topology, Eligibility eligibility) {
        this.topology = topology;
        this.eligibility = eligibility;
        this.nodesIn = from.nodesIn.clone();
        this.domains = from.domains;
    }

    /** An immutable copy, over copies of the topology and the eligibility. */
    public EligibleDomains frozen(Topology overTopology, Eligibility overEligibility) {
        return new EligibleDomains(this, overTopology, overEligibility);
    }

    public int domains() {
        return domains;
    }

    void add(Listener listener) {
        listeners = Arrays.copyOf(listeners, listeners.length + 1);
        listeners[listeners.length - 1] = listener;
    }

    void remove(Listener listener) {
        listeners = Arrays.stream(listeners).filter(each -> each != listener).toArray(Listener[]::new);
    }

    @Override
    public long bytes() {
        return 160 + 4L * nodesIn.length;
    }

    /** How many eligible nodes a domain has. */
    public int nodesIn(int domain) {
        if (!topology.isWide()) {
            return domain < nodesIn.length ? nodesIn[domain] : 0;
        }
        int nodes = eligibility.holds(domain) ? 1 : 0;
        for (int follower : topology.followers()) {
            if (topology.domainOf(follower) == domain && eligibility.holds(follower)) {
                nodes++;
            }
        }
        return nodes;
    }

    /** Removes an eligible slot from its domain. Its pods no longer count, but its eligibility bit is still set. */
    void nodeLeaves(int slot) {
        int domain = topology.domainOf(slot);
        boolean last = topology.isWide() ? nodesIn(domain) == 1 : --nodesIn[domain] == 0;
        if (last) {
            domains--;
            for (Listener listener : listeners) {
                listener.domainGoes();
            }
        }
    }

    /** Adds an eligible slot to its domain. Its pods do not count yet, and its eligibility bit is set. */
    void nodeEnters(int slot) {
        int domain = topology.domainOf(slot);
        boolean first;
        if (topology.isWide()) {
            first = nodesIn(domain) == 1;
        } else {
            if (domain >= nodesIn.length) {
                nodesIn = Arrays.copyOf(nodesIn, Math.max(domain + 1, nodesIn.length * 2));
            }
            first = ++nodesIn[domain] == 1;
        }
        if (first) {
            domains++;
            for (Listener listener : listeners) {
                listener.domainComes();
            }
        }
    }

    /** Called when the id of a domain of the topology has changed. */
    void renameDomain(int from, int to) {
        for (Listener listener : listeners) {
            listener.renameDomain(from, to);
        }
    }

    /** Called when the topology has changed its layout: {@code mapping[old id]} is the new id. */
    void turn(int[] mapping) {
        recount();
        for (Listener listener : listeners) {
            listener.renameDomains(mapping);
        }
    }

    /** Recounts eligible nodes and domains from scratch. */
    private void recount() {
        nodesIn = topology.isWide() ? new int[0] : new int[topology.domainLimit()];
        domains = 0;
        if (topology.isWide() && topology.followers().length == 0) {
            domains = eligibility.nodes();
            return;
        }
        long[] slots = eligibility.slots();
        boolean[] seen = new boolean[topology.domainLimit()];
        for (int w = 0; w < slots.length; w++) {
            for (long word = slots[w]; word != 0; word &= word - 1) {
                int domain = topology.domainOf(w * 64 + Long.numberOfTrailingZeros(word));
                if (!topology.isWide()) {
                    nodesIn[domain]++;
                }
                if (!seen[domain]) {
                    seen[domain] = true;
                    domains++;
                }
            }
        }
    }
}
