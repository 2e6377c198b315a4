package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.PodCounter;
import io.evenkeel.engine.labels.Selector;
import java.util.Arrays;

/**
 * Counts the matching pods of each domain, for one selector, topology and eligibility, and knows the minimum over
 * eligible domains.
 *
 * <p>Invariants, between two changes of the cluster:
 *
 * <ul>
 *   <li>{@code counts[d]} is the number of pods that match the selector, are neither terminating nor finished, and are
 *       on an eligible node of {@code d}, among the classes at positions below {@code built} and, with an id below
 *       {@code scannedPods}, of those from there to below {@code scanEnd};
 *   <li>{@code histogram} holds exactly the eligible domains, each at its count;
 *   <li>{@code listeners} are the joint histograms of a group over single nodes, and hold each node at its count.
 * </ul>
 *
 * A group is built class by class, and events of classes that are not reached yet are left to the build: see
 * {@code GroupBuilder}. While a large group is built, it only tallies:
 *
 * <pre>
 *   byHost[h]   how many of these pods are on host h, whether or not its node is known and eligible
 * </pre>
 *
 * Meanwhile counts, histogram and listeners hold no pods. At the end of the build they are filled from the tally at
 * once.
 */
public final class SpreadGroup extends PodCounter implements EligibleDomains.Listener {
    /** Called when the counts of a group over single nodes change. */
    interface Listener {
        /** The count of {@code slot} goes up from {@code count}. */
        void moveUp(int slot, int count);

        /** The count of {@code slot} goes down from {@code count}. */
        void moveDown(int slot, int count);

        /** All counts have changed. */
        void recount();
    }

    private static final int ALL = Integer.MAX_VALUE;
    private static final Listener[] NO_LISTENERS = {};
    private static final int[] NO_TALLY = {};
    private static final int MIN_TALLY = 64;

    record Key(Selector selector, EligibleDomains domains) {}

    public final Namespace namespace;
    public final Selector selector;
    public final EligibleDomains domains;
    private final Topology topology;
    private final Eligibility eligibility;
    private final CountHistogram histogram;
    private Listener[] listeners = NO_LISTENERS;
    private DomainCounts counts;
    private long moves;
    private int built;
    private int scanEnd;
    private int scannedPods;
    private int[] byHost = NO_TALLY;

    /** @param namespace the namespace of the selector */
    SpreadGroup(Namespace namespace, Selector selector, EligibleDomains domains) {
        this.namespace = namespace;
        this.selector = selector;
        this.domains = domains;
        this.topology = domains.topology;
        this.eligibility = domains.eligibility;
        this.counts = emptyCounts();
        this.histogram = new CountHistogram();
        histogram.add(0, domains.domains());
    }

    /** A copy of a built group. Events do not update it. */
    private SpreadGroup(SpreadGroup from, EligibleDomains domains) {
        this.namespace = from.namespace;
        this.selector = from.selector;
        this.domains = domains;
        this.topology = domains.topology;
        this.eligibility = domains.eligibility;
        this.counts = from.counts.copy();
        this.histogram = from.histogram.copy();
        this.built = ALL;
    }

    /**
     * A copy of a built group, which can be changed independently and which events do not update.
     *
     * @param over the group's own eligible domains, or a copy of them
     */
    public SpreadGroup fork(EligibleDomains over) {
        return new SpreadGroup(this, over);
    }

    public Topology topology() {
        return topology;
    }

    public DomainCounts counts() {
        return counts;
    }

    public CountHistogram histogram() {
        return histogram;
    }

    public boolean isBuilt() {
        return built == ALL;
    }

    /** The position below which classes are counted. */
    public int built() {
        return built;
    }

    /** Whether the next classes are being counted together, in the order of pod ids. */
    public boolean isScanned() {
        return scanEnd > built;
    }

    /** The position below which classes are scanned. */
    public int scanEnd() {
        return scanEnd;
    }

    /** The pod id below which pods of the scanned classes are counted. */
    public int scannedPods() {
        return scannedPods;
    }

    /** Sets that all classes below {@code toPosition} are counted. */
    public void setBuilt(int toPosition) {
        built = toPosition;
        scanEnd = toPosition;
    }

    /**
     * Sets that the pods below {@code toPod} are counted, of the classes from {@link #built} up to {@code end},
     * exclusive.
     */
    public void setScanned(int end, int toPod) {
        scanEnd = end;
        scannedPods = toPod;
    }

    /** Whether the group only tallies by host. */
    public boolean tallies() {
        return byHost != NO_TALLY;
    }

    /** Starts over, and tallies until it is built. O(domains). */
    public void beginTally() {
        byHost = new int[MIN_TALLY];
        counts = emptyCounts();
        histogram.reset(domains.domains());
        recountListeners();
        setBuilt(0);
    }

    /** The tally by host, with room for hosts below {@code limit}. The caller adds to it. */
    public int[] tally(int limit) {
        if (byHost.length < limit) {
            byHost = Arrays.copyOf(byHost, Math.max(limit, byHost.length * 2));
        }
        return byHost;
    }

    /** Ends the build: all pods are counted. */
    public void finishBuild() {
        built = ALL;
    }

    /** Sets all counts at once. Before, there must be no counts except a tally, which ends. */
    public void take(int[] byDomain) {
        byHost = NO_TALLY;
        counts = new NarrowCounts(byDomain);
        histogram.spread(byDomain);
        recountListeners();
        if (topology.isWide()) {
            counts = new WideCounts(byDomain);
        }
    }

    private void recountListeners() {
        for (Listener listener : listeners) {
            listener.recount();
        }
    }

    @Override
    public boolean covers(int position, int pod) {
        return position < built || position < scanEnd && pod < scannedPods;
    }

    @Override
    public void shift(int host, int slot, boolean in) {
        if (byHost != NO_TALLY) {
            moves++;
            tally(host + 1)[host] += in ? 1 : -1;
        } else if (slot != NodeSlots.NONE) {
            shift(slot, in);
        }
    }

    /** Counts a matching pod on {@code slot} in or out, if the node is eligible. */
    public void shift(int slot, boolean in) {
        if (eligibility.holds(slot)) {
            int domain = topology.domainOf(slot);
            moves++;
            if (in) {
                int count = counts.increment(domain);
                histogram.moveUp(count);
                for (Listener listener : listeners) {
                    listener.moveUp(slot, count);
                }
            } else {
                int count = counts.decrement(domain);
                histogram.moveDown(count);
                for (Listener listener : listeners) {
                    listener.moveDown(slot, count);
                }
            }
        }
    }

    /** Increases with every pod that is counted in or out. */
    public long moves() {
        return moves;
    }

    void add(Listener listener) {
        listeners = Arrays.copyOf(listeners, listeners.length + 1);
        listeners[listeners.length - 1] = listener;
    }

    void remove(Listener listener) {
        listeners = Arrays.stream(listeners).filter(each -> each != listener).toArray(Listener[]::new);
    }

    @Override
    public void domainComes() {
        histogram.add(0, 1);
    }

    @Override
    public void domainGoes() {
        histogram.remove(0);
    }

    @Override
    public void renameDomain(int from, int to) {
        counts.set(to, counts.get(from));
        counts.set(from, 0);
    }

    @Override
    public void renameDomains(int[] mapping) {
        DomainCounts old = counts;
        counts = emptyCounts();
        for (int domain = 0; domain < mapping.length; domain++) {
            if (mapping[domain] != Topology.NONE) {
                counts.set(mapping[domain], old.get(domain));
            }
        }
    }

    @Override
    public long bytes() {
        return 192 + counts.bytes() + histogram.bytes() + 4L * byHost.length;
    }

    private DomainCounts emptyCounts() {
        return topology.isWide() ? new WideCounts() : new NarrowCounts(new int[topology.domainLimit()]);
    }
}
