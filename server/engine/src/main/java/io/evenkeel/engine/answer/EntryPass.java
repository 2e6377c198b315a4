package io.evenkeel.engine.answer;

import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.plan.PodPlan;

/**
 * What keeps a pod off a node before spread is asked: kube-scheduler's NodeUnschedulable, TaintToleration and
 * NodeAffinity filters, in this order.
 */
public final class EntryPass {
    private EntryPass() {}

    public static void run(PodPlan plan, Answer answer) {
        answer.keep(plan.schedulable.slots(), Reason.UNSCHEDULABLE);
        answer.keep(plan.tolerated.slots(), Reason.UNTOLERATED_TAINT);
        if (plan.affine != null) {
            answer.keep(plan.affine.slots(), Reason.NODE_AFFINITY);
        }
    }
}
