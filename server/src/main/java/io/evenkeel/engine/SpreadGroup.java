package io.evenkeel.engine;

import java.util.Arrays;

/**
 * The matching pods of each domain for one selector, topology and eligibility, and their minimum over eligible domains.
 *
 * <p>Invariants, between two changes of the cluster:
 *
 * <ul>
 *   <li>{@code counts[d]} is the number of pods that match the selector, are neither terminating nor finished, and stand on an eligible node of {@code d}, among
 *       the classes at positions below {@code built} and the pods below {@code builtPods} of the class there;
 *   <li>{@code histogram} holds exactly the eligible domains, each at its count;
 *   <li>{@code joints} are those of the groups over single nodes, and hold each node at its count.
 * </ul>
 *
 * A group is built class by class, and events of classes not yet reached are left to the build: see {@link GroupBuilder}.
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
    private int builtPods;

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

    /** In the class at that position: the pod id below which pods are counted. */
    int builtPods() {
        return builtPods;
    }

    /** Counted are all classes below {@code toPosition} and, of the one there, the pods below {@code toPod}. */
    void setBuilt(int toPosition, int toPod) {
        built = toPosition;
        builtPods = toPod;
    }

    void finishBuild() {
        built = ALL;
    }

    /** Whether a pod of the class at {@code position} is counted by events; else the build will count it. */
    boolean covers(int position, int pod) {
        return position < built || position == built && pod < builtPods;
    }

    /** Counts all pods of a domain at once; none was counted there so far. */
    void countAll(int domain, int pods) {
        if (pods > 0) {
            counts.set(domain, pods);
            histogram.remove(0);
            histogram.add(pods, 1);
        }
    }

    /** A matching pod counts on {@code slot} from now on, or no longer does, if the node is eligible. */
    void shift(int slot, boolean in) {
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
        return topology.isWide() ? new WideCounts() : new NarrowCounts();
    }
}
