package io.evenkeel.engine;

import java.util.Arrays;

/**
 * The matching pods of each domain for one selector, topology and eligibility, and their minimum over eligible domains.
 *
 * <p>Invariants, between two changes of the cluster:
 *
 * <ul>
 *   <li>{@code counts[d]} is the number of pods that match the selector, are neither terminating nor finished, and stand on an eligible node of {@code d}, among
 *       the classes at positions below {@code built} and, with an id below {@code scannedPods}, of those from there to below {@code scanEnd};
 *   <li>{@code histogram} holds exactly the eligible domains, each at its count;
 *   <li>{@code joints} are those of the groups over single nodes, and hold each node at its count.
 * </ul>
 *
 * A group is built class by class, and events of classes not yet reached are left to the build: see {@link GroupBuilder}. While a large group is built it only tallies:
 * counts are an int a domain, whatever the topology; the histogram holds every eligible domain at 0, and the joints don't hold. Once it is built, they are made from the
 * counts at once.
 */
final class SpreadGroup extends Shared {
    private static final int ALL = Integer.MAX_VALUE;
    private static final JointHistogram[] NO_JOINTS = {};

    record Key(Selector selector, EligibleDomains domains) {}

    final Selector selector;
    final EligibleDomains domains;
    private final Topology topology;
    private final Eligibility eligibility;
    private final CountHistogram histogram = new CountHistogram();
    private JointHistogram[] joints = NO_JOINTS;
    private DomainCounts counts;
    private long moves;
    private int built;
    private int scanEnd;
    private int scannedPods;
    private boolean tallies;

    SpreadGroup(Selector selector, EligibleDomains domains) {
        this.selector = selector;
        this.domains = domains;
        this.topology = domains.topology;
        this.eligibility = domains.eligibility;
        this.counts = emptyCounts();
        histogram.add(0, domains.domains());
    }

    Topology topology() {
        return topology;
    }

    DomainCounts counts() {
        return counts;
    }

    CountHistogram histogram() {
        return histogram;
    }

    boolean isBuilt() {
        return built == ALL;
    }

    /** The position below which classes are counted. */
    int built() {
        return built;
    }

    /** Whether the classes that come next are counted together, in the order of pod ids. */
    boolean isScanned() {
        return scanEnd > built;
    }

    /** The position below which classes are scanned. */
    int scanEnd() {
        return scanEnd;
    }

    /** The pod id below which pods of the scanned classes are counted. */
    int scannedPods() {
        return scannedPods;
    }

    /** Counted are all classes below {@code toPosition}. */
    void setBuilt(int toPosition) {
        built = toPosition;
        scanEnd = toPosition;
    }

    /** Of the classes from {@link #built} to below {@code end}, the pods below {@code toPod} are counted. */
    void setScanned(int end, int toPod) {
        scanEnd = end;
        scannedPods = toPod;
    }

    /** Whether nothing but the counts is kept yet. */
    boolean tallies() {
        return tallies;
    }

    /** Keeps nothing but the counts, until it is built. O(domains). */
    void beginTally() {
        if (tallies) {
            return;
        }
        if (counts instanceof WideCounts wide) {
            counts = new NarrowCounts(wide.toArray(topology.domainLimit()));
        }
        tallies = true;
        histogram.reset(domains.domains());
        recountJoints();
    }

    /** Tallies the first {@code size} of {@code slots}: a matching pod counts on each from now on. NONE among them is passed over. */
    void tally(int[] slots, int size) {
        int[] tally = ((NarrowCounts) counts).byDomain(topology.domainLimit());
        int[] domainOf = topology.domainsBySlot();
        long[] eligible = eligibility.slots();
        for (int i = 0; i < size; i++) {
            int slot = slots[i];
            if (slot >= 0 && (eligible[slot >>> 6] >>> slot & 1) != 0) {
                tally[domainOf[slot]]++;
            }
        }
        moves += size;
    }

    /** All is counted. O(domains) where it has tallied. */
    void finishBuild() {
        built = ALL;
        if (tallies) {
            tallies = false;
            take(((NarrowCounts) counts).byDomain(topology.domainLimit()));
        }
    }

    /** Takes over all counts at once; the histogram holds every eligible domain at 0 so far. */
    void take(int[] byDomain) {
        counts = new NarrowCounts(byDomain);
        histogram.spread(byDomain);
        recountJoints();
        if (topology.isWide()) {
            counts = new WideCounts(byDomain);
        }
    }

    private void recountJoints() {
        for (JointHistogram joint : joints) {
            joint.recount();
        }
    }

    /** Whether a pod of the class at {@code position} is counted by events; else the build will count it. */
    boolean covers(int position, int pod) {
        return position < built || position < scanEnd && pod < scannedPods;
    }

    /** A matching pod counts on {@code slot} from now on, or no longer does, if the node is eligible. */
    void shift(int slot, boolean in) {
        if (eligibility.holds(slot)) {
            int domain = topology.domainOf(slot);
            moves++;
            if (tallies) {
                counts.set(domain, counts.get(domain) + (in ? 1 : -1));
            } else if (in) {
                int count = counts.increment(domain);
                histogram.moveUp(count);
                for (JointHistogram joint : joints) {
                    joint.moveUp(slot, count);
                }
            } else {
                int count = counts.decrement(domain);
                histogram.moveDown(count);
                for (JointHistogram joint : joints) {
                    joint.moveDown(slot, count);
                }
            }
        }
    }

    /** Grows with every pod that is counted in or out. */
    long moves() {
        return moves;
    }

    JointHistogram[] joints() {
        return joints;
    }

    void add(JointHistogram joint) {
        joints = Arrays.copyOf(joints, joints.length + 1);
        joints[joints.length - 1] = joint;
    }

    void remove(JointHistogram joint) {
        joints = Arrays.stream(joints).filter(each -> each != joint).toArray(JointHistogram[]::new);
    }

    /** The global minimum: 0 where fewer than {@code minDomains} domains are eligible. */
    int minimum(int minDomains) {
        return domains.domains() < minDomains ? 0 : histogram.minimum();
    }

    /** A domain goes by another id. */
    void renameDomain(int from, int to) {
        counts.set(to, counts.get(from));
        counts.set(from, 0);
    }

    /** The topology has turned to its other layout: {@code mapping[old id]} is the new one. */
    void turn(int[] mapping) {
        DomainCounts old = counts;
        counts = emptyCounts();
        for (int domain = 0; domain < mapping.length; domain++) {
            if (mapping[domain] != Topology.NONE) {
                counts.set(mapping[domain], old.get(domain));
            }
        }
    }

    long bytes() {
        return 128 + counts.bytes() + histogram.bytes();
    }

    private DomainCounts emptyCounts() {
        return topology.isWide() && !tallies ? new WideCounts() : new NarrowCounts(new int[topology.domainLimit()]);
    }
}
