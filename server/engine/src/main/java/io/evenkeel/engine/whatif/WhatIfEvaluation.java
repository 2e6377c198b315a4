package io.evenkeel.engine.whatif;

import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.IntHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Answers one what-if case. First it looks up the removed and added pods, some at a time, under the lock. Then, without
 * the lock, it takes them out of a copy of the plan's counts or adds them, and evaluates the copy by the usual rules.
 * Afterwards the copy is restored.
 *
 * <pre>
 *   slots[i]                     where the i-th removed pod counts
 *   matched[i * groups + g]      whether that pod counts for the plan's group g
 *   addedSlots[j]                where the j-th added pod counts, or NONE
 *   placeOfUid                   the j of the last added pod with each UID; earlier ones are the same pod, and
 *                                count nowhere
 * </pre>
 */
final class WhatIfEvaluation {
    private final WhatIfCase asked;
    private final PodPlan plan;
    private final Iterator<PodKey> removed;
    private final Iterator<PodObject> added;
    private final List<PodKey> unknown = new ArrayList<>();
    private final IntHashSet pods = new IntHashSet();
    private final IntArrayList slots = new IntArrayList();
    private final BitSet matched = new BitSet();
    private final List<PodObject> addedPods = new ArrayList<>();
    private final IntArrayList addedSlots = new IntArrayList();
    private final Map<String, Integer> placeOfUid = new HashMap<>();
    private int node;

    /** @param plan a plan for the pod of the case, which stays valid while this is used */
    WhatIfEvaluation(WhatIfCase asked, PodPlan plan) {
        this.asked = asked;
        this.plan = plan;
        removed = asked.removed().iterator();
        added = asked.added().iterator();
    }

    /** Looks up at most {@code most} pods, under the lock; returns how many. It is fewer where no more are left. */
    int lookUp(ClusterView cluster, int most) {
        int looked = 0;
        while (looked < most && removed.hasNext()) {
            looked++;
            PodKey key = removed.next();
            List<Integer> found = cluster.findPods(key);
            found.forEach(pod -> remove(cluster, pod));
            if (found.isEmpty()) {
                unknown.add(key);
            }
        }
        while (looked < most && added.hasNext()) {
            looked++;
            add(cluster, added.next());
        }
        return looked;
    }

    /** Records a pod as removed, unless it is already. */
    private void remove(ClusterView cluster, int pod) {
        int slot = cluster.slotCountedOn(pod);
        if (pods.add(pod) && slot != NodeTable.NONE) {
            SpreadGroup[] groups = plan.groups();
            for (int g = 0; g < groups.length; g++) {
                if (cluster.isMatched(pod, groups[g])) {
                    matched.set(slots.size() * groups.length + g);
                }
            }
            slots.addInt(slot);
        }
    }

    /**
     * Records a pod as added on its node or, where it names none, on the judged node. It replaces a pod with the same
     * UID, also one that was added before.
     */
    private void add(ClusterView cluster, PodObject pod) {
        int same = pod.uid().isEmpty() ? PodTable.NONE : cluster.podOfUid(pod.uid());
        if (same != PodTable.NONE) {
            remove(cluster, same);
        }
        Integer before = pod.uid().isEmpty() ? null : placeOfUid.put(pod.uid(), addedPods.size());
        if (before != null) {
            addedSlots.setInt(before, NodeTable.NONE);
        }
        boolean counts = !pod.terminating() && !pod.finished();
        String on = pod.nodeName().isEmpty() ? asked.node() : pod.nodeName();
        addedPods.add(pod);
        addedSlots.addInt(counts ? cluster.slotOfNode(on) : NodeTable.NONE);
    }

    /** Looks up the judged node, under the lock, after all pods. */
    void findNode(ClusterView cluster) {
        node = cluster.slotOfNode(asked.node());
    }

    PodPlan plan() {
        return plan;
    }

    /** Adds the pods that were found, and the keys by which pods were looked up. */
    void addTo(IntHashSet rows, Set<PodKey> keys) {
        rows.addAll(pods);
        keys.addAll(asked.removed());
        for (PodObject pod : asked.added()) {
            keys.add(PodKey.ofUid(pod.uid()));
        }
    }

    /**
     * Answers the case. Needs no lock.
     *
     * @param fork a frozen copy of the plan at {@code revision}, at which all that was looked up was still true
     */
    WhatIfResult judge(PodPlan fork, long revision) {
        if (node == NodeTable.NONE) {
            return new WhatIfResult(revision, false, null, unknown);
        }
        shift(fork, false);
        Reason reason = firstToKeepOff(fork);
        shift(fork, true);
        return new WhatIfResult(revision, true, reason, unknown);
    }

    private @Nullable Reason firstToKeepOff(PodPlan fork) {
        for (PlannedConstraint constraint : fork.hard) {
            Reason reason = constraint.failure(node);
            if (reason != null) {
                return reason;
            }
        }
        return null;
    }

    /** @param back whether to undo the changes */
    private void shift(PodPlan fork, boolean back) {
        SpreadGroup[] groups = fork.groups();
        for (int at = matched.nextSetBit(0); at >= 0; at = matched.nextSetBit(at + 1)) {
            groups[at % groups.length].shift(slots.getInt(at / groups.length), back);
        }
        for (int i = 0; i < addedPods.size(); i++) {
            PodObject pod = addedPods.get(i);
            for (SpreadGroup group : groups) {
                if (addedSlots.getInt(i) != NodeTable.NONE
                        && pod.namespace().equals(group.namespace.name)
                        && group.selector.source.matches(pod.labels())) {
                    group.shift(addedSlots.getInt(i), !back);
                }
            }
        }
    }
}
