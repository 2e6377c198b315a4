package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.PodList;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.index.WideCounts;
import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.PodCounter;
import io.evenkeel.engine.labels.Selector;
import org.jspecify.annotations.Nullable;

/**
 * Builds a new spread group: counts the existing pods into it, a slice at a time, so that neither readers nor events
 * wait for a large group. Most slices run under the lock for writing. Slices of a scan only keep writers out.
 *
 * <p>The cursor moves over the positions of the namespace's classes. At a large class, that class and those that follow
 * are scanned together, and the cursor moves over the ids of all pods ({@link PodScan}). What is below it is complete:
 * it is counted, and its events are applied. What is at or above it is untouched: its events are left to the slice that
 * will reach it. Classes that appear during a build get positions above the cursor: free positions are not reused until
 * the build ends.
 *
 * <p>A group over few domains need not count pods if a group over single nodes has counted the pods of the same
 * selector: the count of a domain is the sum of the counts of its nodes.
 */
public final class GroupBuilder {
    /**
     * Neighbours in a class's list lie far apart in memory. Reading four pods in id order takes as long as following
     * one link.
     */
    private static final int PODS_A_STEP = 4;

    /** How many pods a scan reads in the time that following a list takes to load one pod from memory. */
    private static final int PODS_A_LINK = 16;

    /**
     * The longest list that is followed in one slice, which takes about a millisecond. Longer lists are scanned,
     * however many pods the scan has to read.
     */
    private static final int LONGEST_LIST = 1 << 14;

    /**
     * A group begins to tally by host once it has counted one pod per this many hosts. A tally takes an {@code int} per
     * host, and all are read at the end.
     */
    private static final int HOSTS_A_POD = 4;

    private final PodTable pods;
    private final HostTable hosts;
    private final PodList podsInClass;
    private final LabelClasses classes;
    private final PodScan scan;
    private final int slice;

    /** @param slice roughly how many classes and pods one slice counts */
    public GroupBuilder(ClusterStore store, int slice) {
        this.pods = store.pods;
        this.hosts = store.hosts;
        this.podsInClass = store.podsInClass;
        this.classes = store.classes;
        this.scan = new PodScan(store, slice * PODS_A_STEP);
        this.slice = slice;
    }

    /** Does one slice; returns whether the group is built. */
    public boolean advance(SpreadGroup group) {
        if (group.isBuilt()) {
            return true;
        }
        Namespace namespace = group.namespace;
        boolean begins = group.built() == 0 && !group.isScanned();
        SpreadGroup byNode = begins ? countedByNode(group) : null;
        if (byNode != null) {
            int[] bySlot =
                    ((WideCounts) byNode.counts()).toArray(group.topology().domainsBySlot().length);
            sum(bySlot, group);
        } else {
            if (!scan(group)) {
                countClasses(group, namespace);
            }
            if (group.isScanned() || group.built() < namespace.classes().limit()) {
                return false;
            }
            if (group.tallies()) {
                sum(tallyBySlot(group), group);
            }
        }
        group.finishBuild();
        namespace.classes().buildEnds();
        return true;
    }

    /** Counts class after class, up to the first large one. */
    private void countClasses(SpreadGroup group, Namespace namespace) {
        int position = group.built();
        for (int work = 0; position < namespace.classes().limit() && work < slice; work++) {
            int labelClass = namespace.classes().at(position);
            if (matches(labelClass, group.selector)) {
                boolean large = isLarge(labelClass, group);
                if (!group.tallies() && (large || group.moves() > hosts.limit() / HOSTS_A_POD)) {
                    group.beginTally();
                    position = 0;
                    continue;
                }
                if (large) {
                    group.setBuilt(position);
                    beginScan(group, namespace);
                    return;
                }
                work += countByList(group, labelClass);
            }
            position++;
        }
        group.setBuilt(position);
    }

    /** Whether there is a class and the selector matches it. Adds the selector to the class if it is new there. */
    private boolean matches(int labelClass, Selector selector) {
        if (labelClass == LabelClasses.NONE || !classes.isMatched(labelClass, selector.requirements)) {
            return false;
        }
        classes.addMatch(labelClass, selector);
        return true;
    }

    /**
     * Whether a scan of all pods counts the class faster than its list does, considering the pods that the group has
     * counted by lists so far.
     */
    private boolean isLarge(int labelClass, SpreadGroup group) {
        int list = classes.pods(labelClass);
        return list > slice && (list > LONGEST_LIST || (list + group.moves()) * PODS_A_LINK > pods.limit());
    }

    private int countByList(SpreadGroup group, int labelClass) {
        int looked = 0;
        for (int pod = podsInClass.first(labelClass); pod != PodList.NONE; pod = podsInClass.next(pod)) {
            looked++;
            int host = pods.host(pod);
            if (host != PodTable.NONE && pods.counts(pod)) {
                group.shift(host, hosts.slot(host), true);
            }
        }
        return looked;
    }

    /** Begins a scan of the next classes, as many as one slice can check for a match. */
    private void beginScan(SpreadGroup group, Namespace namespace) {
        int end = Math.min(namespace.classes().limit(), group.built() + slice);
        for (int position = group.built(); position < end; position++) {
            matches(namespace.classes().at(position), group.selector);
        }
        group.setScanned(end, 0);
    }

    /**
     * Does one slice of a scan; returns whether a scan is under way. Writes only to the group under construction, which
     * readers do not see: the caller must keep out writers and other builders, not readers.
     */
    public boolean scan(SpreadGroup group) {
        if (!group.isScanned()) {
            return false;
        }
        int toPod = scan.count(group);
        if (toPod < pods.limit()) {
            group.setScanned(group.scanEnd(), toPod);
        } else {
            group.setBuilt(group.scanEnd());
        }
        return true;
    }

    /** A group over single nodes that has counted all pods that {@code group} must count; null if there is none. */
    private static @Nullable SpreadGroup countedByNode(SpreadGroup group) {
        if (group.topology().isWide()) {
            return null;
        }
        for (PodCounter each : group.selector.counters()) {
            if (each instanceof SpreadGroup other && hasCountedByNode(other, group)) {
                return other;
            }
        }
        return null;
    }

    private static boolean hasCountedByNode(SpreadGroup other, SpreadGroup group) {
        Topology topology = other.topology();
        boolean sameNodes = topology.kind == Topology.Kind.NODE
                || other.domains.eligibility == group.domains.eligibility && topology.followers().length == 0;
        return other.isBuilt() && topology.isWide() && sameNodes;
    }

    private int[] tallyBySlot(SpreadGroup group) {
        int[] byHost = group.tally(0);
        int[] bySlot = new int[group.topology().domainsBySlot().length];
        for (int host = 0; host < Math.min(byHost.length, hosts.limit()); host++) {
            if (byHost[host] != 0 && hosts.slot(host) != NodeSlots.NONE) {
                bySlot[hosts.slot(host)] = byHost[host];
            }
        }
        return bySlot;
    }

    private static void sum(int[] bySlot, SpreadGroup group) {
        Topology topology = group.topology();
        int[] sums = new int[topology.domainLimit()];
        int[] domainOf = topology.domainsBySlot();
        long[] eligible = group.domains.eligibility.slots();
        for (int w = 0; w < eligible.length; w++) {
            for (long left = eligible[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                sums[domainOf[slot]] += bySlot[slot];
            }
        }
        group.take(sums);
    }
}
