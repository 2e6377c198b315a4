package io.evenkeel.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Filter of one pod on one node in a cluster that differs by a few pods. The counts of the domains that those pods touch are worked out anew; every other domain's
 * stand in the histogram, so the changed minimum is exact without a recount.
 */
final class WhatIf {
    private final ClusterStore store;
    private final Set<Integer> removed = new HashSet<>();
    private final List<Added> added = new ArrayList<>();

    private record Added(PodObject pod, int slot) {}

    WhatIf(ClusterStore store) {
        this.store = store;
    }

    /** Takes pods off; answers those that are not there. */
    List<PodKey> remove(Collection<PodKey> keys) {
        List<PodKey> unknown = new ArrayList<>();
        for (PodKey key : keys) {
            List<Integer> found = store.find(key);
            removed.addAll(found);
            if (found.isEmpty()) {
                unknown.add(key);
            }
        }
        return unknown;
    }

    /** Puts a pod on its node, or on {@code node} where it names none; it takes the place of a pod with its UID. */
    void add(PodObject pod, String node) {
        int slot = store.nodes.slotOfName(pod.nodeName().isEmpty() ? node : pod.nodeName());
        int same = pod.uid().isEmpty() ? PodTable.NONE : store.pods.find(Uid.of(pod.uid()));
        if (same != PodTable.NONE) {
            removed.add(same);
        }
        if (slot != NodeTable.NONE && !pod.terminating() && !pod.finished()) {
            added.add(new Added(pod, slot));
        }
    }

    /** The first rule that keeps the pod off {@code slot}; null where none does. */
    @Nullable
    Reason judge(PodPlan plan, int slot) {
        for (PlannedConstraint constraint : plan.hard) {
            if (!NodeBits.get(constraint.label().carriers(), slot)) {
                return Reason.MISSING_LABEL;
            }
            SpreadGroup group = constraint.group();
            if (group != null) {
                Map<Integer, Integer> changes = changesBy(plan, constraint, group);
                int domain = group.topology().domainOf(slot);
                long count = (long) group.counts().get(domain) + changes.getOrDefault(domain, 0);
                if (count + constraint.self() - minimum(constraint, group, changes)
                        > constraint.source().maxSkew()) {
                    return Reason.SKEW;
                }
            }
        }
        return null;
    }

    /** By how much each domain's count differs. */
    private Map<Integer, Integer> changesBy(PodPlan plan, PlannedConstraint constraint, SpreadGroup group) {
        Map<Integer, Integer> changes = new HashMap<>();
        for (int pod : removed) {
            int slot = store.slotCountedOn(pod);
            int labelClass = store.pods.labelClass(pod);
            if (slot != NodeTable.NONE
                    && store.classes.namespaceOf(labelClass) == group.selector.namespace
                    && store.classes.isMatched(labelClass, group.selector.requirements)) {
                change(changes, group, slot, -1);
            }
        }
        LabelSelector selector = constraint.selector();
        for (Added each : added) {
            PodObject pod = each.pod;
            if (selector != null && pod.namespace().equals(plan.pod().namespace()) && selector.matches(pod.labels())) {
                change(changes, group, each.slot, 1);
            }
        }
        return changes;
    }

    private static void change(Map<Integer, Integer> changes, SpreadGroup group, int slot, int by) {
        if (group.domains.eligibility.holds(slot)) {
            changes.merge(group.topology().domainOf(slot), by, Integer::sum);
        }
    }

    private static int minimum(PlannedConstraint constraint, SpreadGroup group, Map<Integer, Integer> changes) {
        if (group.domains.domains() < Math.max(1, constraint.source().minDomains())) {
            return 0;
        }
        Map<Integer, Integer> changedAt = new HashMap<>();
        int least = Integer.MAX_VALUE;
        for (Map.Entry<Integer, Integer> change : changes.entrySet()) {
            int count = group.counts().get(change.getKey());
            changedAt.merge(count, 1, Integer::sum);
            least = Math.min(least, count + change.getValue());
        }
        CountHistogram histogram = group.histogram();
        for (int count = histogram.minimum(); count < least && count < histogram.limit(); count++) {
            if (histogram.domainsAt(count) > changedAt.getOrDefault(count, 0)) {
                return count;
            }
        }
        return least;
    }
}
