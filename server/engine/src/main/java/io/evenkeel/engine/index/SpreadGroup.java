package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.labels.PodCounter;
import io.evenkeel.engine.labels.Selector;
import java.util.Arrays;

/**
 * The matching pods of each domain for one selector, topology and eligibility, and their minimum over eligible domains.
 *
 * <p>Invariants, between two changes of the cluster:
 *
 * <ul>
 *   <li>{@code counts[d]} is the number of pods that match the selector, are neither terminating nor finished, and
 *       stand on an eligible node of {@code d}, among the classes at positions below {@code built} and, with an id
 *       below {@code scannedPods}, of those from there to below {@code scanEnd};
 *   <li>{@code histogram} holds exactly the eligible domains, each at its count;
 *   <li>{@code joints} are those of the groups over single nodes, and hold each node at its count.
 * </ul>
 *
 * A group is built class by class, and events of classes not yet reached are left to the build: see
 * {@code GroupBuilder}. While a large group is built it only tallies:
 *
 * <pre>
 *   byHost[h]   how many of these pods are bound to host h, whether its node is known and eligible or not
 * </pre>
 *
 * and counts, histogram and joints are those of no pods. Once it is built, they are made from the tally at once.
 */
public final class SpreadGroup extends PodCounter {
    private static final int ALL = Integer.MAX_VALUE;
    private static final JointHistogram[] NO_JOINTS = {};
    private static final int[] NO_TALLY = {};
    private static final int LEAST_TALLY = 64;

    record Key(Selector selector, EligibleDomains domains) {}

    public final Selector selector;
    public final EligibleDomains domains;
    private final Topology topology;
    private final Eligibility eligibility;
    private final CountHistogram histogram;
    private JointHistogram[] joints = NO_JOINTS;
    private DomainCounts counts;
    private long moves;
    private int built;
    private int scanEnd;
    private int scannedPods;
    private int[] byHost = NO_TALLY;

    SpreadGroup(Selector selector, EligibleDomains domains) {
        this.selector = selector;
        this.domains = domains;
        this.topology = domains.topology;
        this.eligibility = domains.eligibility;
        this.counts = emptyCounts();
        this.histogram = new CountHistogram();
        histogram.add(0, domains.domains());
    }

    /** A copy of a built group, to be changed apart: nobody counts into it but who made it. */
    private SpreadGroup(SpreadGroup from, EligibleDomains domains) {
        this.selector = from.selector;
        this.domains = domains;
        this.topology = domains.topology;
        this.eligibility = domains.eligibility;
        this.counts = from.counts.copy();
        this.histogram = from.histogram.copy();
        this.built = ALL;
    }

    /**
     * A copy of a built group, to be changed apart.
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

    /** Whether the classes that come next are counted together, in the order of pod ids. */
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

    /** Counted are all classes below {@code toPosition}. */
    public void setBuilt(int toPosition) {
        built = toPosition;
        scanEnd = toPosition;
    }

    /** Of the classes from {@link #built} to below {@code end}, the pods below {@code toPod} are counted. */
    public void setScanned(int end, int toPod) {
        scanEnd = end;
        scannedPods = toPod;
    }

    /** Whether pods are counted by host yet. */
    public boolean tallies() {
        return byHost != NO_TALLY;
    }

    /** Begins anew, and tallies until it is built. O(domains). */
    public void beginTally() {
        byHost = new int[LEAST_TALLY];
        counts = emptyCounts();
        histogram.reset(domains.domains());
        recountJoints();
        setBuilt(0);
    }

    /** The tally, by host, with room for those below {@code limit}; to be added to. */
    public int[] tally(int limit) {
        if (byHost.length < limit) {
            byHost = Arrays.copyOf(byHost, Math.max(limit, byHost.length * 2));
        }
        return byHost;
    }

    /** All is counted. */
    public void finishBuild() {
        built = ALL;
    }

    /** Takes over all counts at once; so far there are none, but for a tally, which ends. */
    public void take(int[] byDomain) {
        byHost = NO_TALLY;
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

    @Override
    public boolean covers(int position, int pod) {
        return position < built || position < scanEnd && pod < scannedPods;
    }

    @Override
    public void shift(int host, int slot, boolean in) {
        if (byHost != NO_TALLY) {
            moves++;
            tally(host + 1)[host] += in ? 1 : -1;
        } else if (slot != NodeTable.NONE) {
            shift(slot, in);
        }
    }

    /** A matching pod counts on {@code slot} from now on, or no longer does, if the node is eligible. */
    public void shift(int slot, boolean in) {
        if (eligibility.holds(slot)) {
            int domain = topology.domainOf(slot);
            moves++;
            if (in) {
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
    public long moves() {
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
    public int minimum(int minDomains) {
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

    @Override
    public long bytes() {
        return 192 + counts.bytes() + histogram.bytes() + 4L * byHost.length;
    }

    private DomainCounts emptyCounts() {
        return topology.isWide() ? new WideCounts() : new NarrowCounts(new int[topology.domainLimit()]);
    }
}
