package io.evenkeel.engine;

import org.jspecify.annotations.Nullable;

/**
 * Counts the pods that are already there into a new spread group, a slice at a time, each under the writer's lock, so that neither readers nor events wait for a large
 * group.
 *
 * <p>The cursor goes over the positions of the namespace's classes and, within a large class, over the ids of all pods. What is below it is complete: it is counted, and its
 * events are applied. What is at or above it is untouched: its events are left to the slice that will reach it. A class that comes meanwhile stands at the end, or in no hole,
 * since holes are not reused while a build is under way.
 *
 * <p>A group over few domains counts no pod where a group over single nodes has already counted those of the same selector: a domain's count is the sum of its nodes'.
 */
final class GroupBuilder {
    /** Pods and classes that one slice looks at, about: ten microseconds. */
    private static final int SLICE = 1024;

    private final PodStore pods;
    private final PodTable table;
    private final PodList podsInClass;
    private final LabelClasses classes;

    GroupBuilder(PodStore pods, PodTable table, PodList podsInClass, LabelClasses classes) {
        this.pods = pods;
        this.table = table;
        this.podsInClass = podsInClass;
        this.classes = classes;
    }

    /** Does one slice; answers whether the group is built. */
    boolean advance(SpreadGroup group) {
        if (group.isBuilt()) {
            return true;
        }
        Namespace namespace = group.selector.namespace;
        if (group.built() == 0 && group.builtPods() == 0) {
            SpreadGroup byNode = countedByNode(group);
            if (byNode != null) {
                sum(byNode, group);
                finish(group, namespace);
                return true;
            }
        }
        if (!count(group, namespace)) {
            return false;
        }
        finish(group, namespace);
        return true;
    }

    private static void finish(SpreadGroup group, Namespace namespace) {
        group.finishBuild();
        namespace.buildEnds();
    }

    /** Counts a slice of pods; answers whether it was the last. */
    private boolean count(SpreadGroup group, Namespace namespace) {
        int position = group.built();
        int fromPod = group.builtPods();
        int work = 0;
        while (position < namespace.classLimit() && work < SLICE) {
            int labelClass = namespace.classAt(position);
            work++;
            if (labelClass != LabelClasses.NONE && matches(labelClass, group.selector)) {
                if (fromPod > 0 || isLarge(labelClass)) {
                    int toPod = Math.min(table.limit(), fromPod + SLICE);
                    countById(group, labelClass, fromPod, toPod);
                    work += SLICE;
                    if (toPod < table.limit()) {
                        group.setBuilt(position, toPod);
                        return false;
                    }
                } else {
                    work += countByList(group, labelClass);
                }
            }
            fromPod = 0;
            position++;
        }
        group.setBuilt(position, 0);
        return position == namespace.classLimit();
    }

    /** Whether the selector matches the class; the class learns of it where it did not know. */
    private boolean matches(int labelClass, Selector selector) {
        if (!classes.isMatched(labelClass, selector.requirements)) {
            return false;
        }
        classes.addMatch(labelClass, selector);
        return true;
    }

    private boolean isLarge(int labelClass) {
        int looked = 0;
        int pod = podsInClass.first(labelClass);
        while (pod != PodList.NONE && looked < SLICE) {
            looked++;
            pod = podsInClass.next(pod);
        }
        return pod != PodList.NONE;
    }

    private int countByList(SpreadGroup group, int labelClass) {
        int looked = 0;
        for (int pod = podsInClass.first(labelClass); pod != PodList.NONE; pod = podsInClass.next(pod)) {
            looked++;
            count(group, pod);
        }
        return looked;
    }

    private void countById(SpreadGroup group, int labelClass, int fromPod, int toPod) {
        for (int pod = fromPod; pod < toPod; pod++) {
            if (table.isLive(pod) && table.labelClass(pod) == labelClass) {
                count(group, pod);
            }
        }
    }

    private void count(SpreadGroup group, int pod) {
        int slot = pods.slotCountedOn(pod);
        if (slot != NodeTable.NONE) {
            group.shift(slot, true);
        }
    }

    /** A group that has counted, node by node, all that a group over few domains is to count; null where there is none. */
    private static @Nullable SpreadGroup countedByNode(SpreadGroup group) {
        if (group.topology().isWide()) {
            return null;
        }
        for (SpreadGroup other : group.selector.groups()) {
            Topology topology = other.topology();
            boolean sameNodes = topology.kind == Topology.Kind.NODE
                    || other.domains.eligibility == group.domains.eligibility && topology.followers().length == 0;
            if (other.isBuilt() && topology.isWide() && sameNodes) {
                return other;
            }
        }
        return null;
    }

    private static void sum(SpreadGroup byNode, SpreadGroup group) {
        Topology topology = group.topology();
        DomainCounts counts = byNode.counts();
        int[] sums = new int[topology.domainLimit()];
        int[] domainOf = topology.domainsBySlot();
        long[] eligible = group.domains.eligibility.slots();
        for (int w = 0; w < eligible.length; w++) {
            for (long left = eligible[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                sums[domainOf[slot]] += counts.get(slot);
            }
        }
        for (int domain = 0; domain < sums.length; domain++) {
            group.countAll(domain, sums[domain]);
        }
    }
}
