package io.evenkeel.engine.whatif;

import io.evenkeel.engine.answer.EntryPass;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.index.FitOnNode;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.overlay.CountShifts;
import io.evenkeel.engine.overlay.OverlaidPods;
import io.evenkeel.engine.overlay.OverlayLookUp;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.BitSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers one what-if case. It first looks up the pods in slices, under the lock. Then, without the lock, it shifts a
 * copy of the plan by these pods and judges it by the usual rules. Finally it restores the copy.
 */
final class WhatIfEvaluation implements OverlayLookUp.Part {
    private final WhatIfCase asked;
    private final PodPlan plan;
    private final OverlaidPods pods;
    private final CountShifts shifts;
    private int node;
    private @Nullable Reason entryReason;
    private @Nullable FitOnNode fit;

    /** @param plan a plan for the pod of the case, which stays valid while this is used */
    WhatIfEvaluation(WhatIfCase asked, PodPlan plan) {
        this.asked = asked;
        this.plan = plan;
        pods = new OverlaidPods(asked.overlay(), asked.node());
        shifts = new CountShifts(pods, plan);
    }

    @Override
    public int lookUp(ClusterView cluster, int most) {
        node = cluster.slotOfNode(asked.node());
        int looked = pods.lookUp(cluster, most);
        shifts.match(cluster);
        return looked;
    }

    @Override
    public void addTo(BitSet rows, Set<PodKey> keys) {
        pods.addTo(rows, keys);
    }

    PodPlan plan() {
        return plan;
    }

    /** Judges the rules that no pod matters for, and copies what is free. Called under the lock. */
    void judgeEntry(ClusterView cluster) {
        if (node == NodeSlots.NONE || asked.rules() == EntryRules.NONE) {
            return;
        }
        entryReason = EntryPass.reasonAt(node, plan, cluster, asked.rules());
        if (entryReason == null && asked.rules() == EntryRules.FITTING) {
            fit = plan.fit.on(node);
        }
    }

    /**
     * Answers the case. Needs no lock.
     *
     * @param fork a frozen copy of the plan, from a state in which all that was looked up was still true
     */
    WhatIfResult judge(PodPlan fork) {
        if (node == NodeSlots.NONE) {
            return new WhatIfResult(false, null, "", pods.unknown());
        }
        if (entryReason != null) {
            return new WhatIfResult(true, entryReason, entryReason.text(), pods.unknown());
        }
        FitOnNode there = fit;
        if (there != null) {
            pods.shift(there, node);
            Reason reason = there.reason();
            if (reason != null) {
                String message = reason.isOfResources() ? there.shortages() : reason.text();
                return new WhatIfResult(true, reason, message, pods.unknown());
            }
        }
        shifts.apply(fork, false);
        Reason reason = firstToKeepOff(fork);
        shifts.apply(fork, true);
        return new WhatIfResult(true, reason, reason == null ? "" : reason.text(), pods.unknown());
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
}
