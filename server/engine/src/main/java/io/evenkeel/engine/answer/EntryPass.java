package io.evenkeel.engine.answer;

import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.plan.PodPlan;

/**
 * The pass before the constraints: excludes nodes that the pod may not enter according to kube-scheduler's filters
 * NodeUnschedulable, TaintToleration and NodeAffinity, in this order.
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
