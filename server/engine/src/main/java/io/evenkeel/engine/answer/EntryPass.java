package io.evenkeel.engine.answer;

import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.plan.PodPlan;

/**
 * What keeps a pod off a node before spread is asked: kube-scheduler's NodeUnschedulable, TaintToleration and
 * NodeAffinity filters, in this order.
 */
final class EntryPass {
    private EntryPass() {}

    static void run(PodPlan plan, Verdicts verdicts) {
        verdicts.keep(plan.schedulable.slots(), Reason.UNSCHEDULABLE);
        verdicts.keep(plan.tolerated.slots(), Reason.UNTOLERATED_TAINT);
        if (plan.affine != null) {
            verdicts.keep(plan.affine.slots(), Reason.NODE_AFFINITY);
        }
    }
}
