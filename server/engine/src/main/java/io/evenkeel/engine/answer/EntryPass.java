package io.evenkeel.engine.answer;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pass before the constraints: excludes nodes by kube-scheduler's filters NodeUnschedulable, NodeName,
 * TaintToleration, NodeAffinity, NodePorts and NodeResourcesFit, in this order.
 */
public final class EntryPass {
    private EntryPass() {}

    static void run(PodPlan plan, ClusterView cluster, EntryRules rules, AnswerDraft answer) {
        if (rules == EntryRules.NONE) {
            return;
        }
        Verdicts verdicts = answer.verdicts;
        boolean fitting = rules == EntryRules.FITTING;
        if (fitting && plan.namedNodes != null) {
            keepNamed(
                    plan.namedNodes,
                    cluster,
                    answer,
                    plan.namedNodes.isEmpty() ? Reason.NODE_NAMES_CONFLICT : Reason.NOT_NAMED_BY_AFFINITY);
        }
        verdicts.keep(plan.schedulable.slots(), Reason.UNSCHEDULABLE);
        if (fitting && !plan.pod().nodeName().isEmpty()) {
            keepNamed(Set.of(plan.pod().nodeName()), cluster, answer, Reason.NODE_NAME);
        }
        verdicts.keep(plan.tolerated.slots(), Reason.UNTOLERATED_TAINT);
        if (plan.affine != null) {
            verdicts.keep(plan.affine.slots(), Reason.NODE_AFFINITY);
        }
        if (fitting) {
            NodeFit fit = plan.fit;
            fit.catchUp();
            if (fit.hasPorts()) {
                verdicts.keep(fit.portsFree(), Reason.HOST_PORTS);
            }
            verdicts.keepFitting(fit);
        }
    }

    /**
     * The first rule that excludes one node, whatever pods are on it; null if there is none. Called under the engine's
     * lock.
     */
    public static @Nullable Reason reasonAt(int slot, PodPlan plan, ClusterView cluster, EntryRules rules) {
        if (rules == EntryRules.NONE) {
            return null;
        }
        boolean fitting = rules == EntryRules.FITTING;
        if (fitting && plan.namedNodes != null && !plan.namedNodes.contains(cluster.nameOfNode(slot))) {
            return plan.namedNodes.isEmpty() ? Reason.NODE_NAMES_CONFLICT : Reason.NOT_NAMED_BY_AFFINITY;
        }
        if (!plan.schedulable.holds(slot)) {
            return Reason.UNSCHEDULABLE;
        }
        String nodeName = plan.pod().nodeName();
        if (fitting && !nodeName.isEmpty() && cluster.slotOfNode(nodeName) != slot) {
            return Reason.NODE_NAME;
        }
        if (!plan.tolerated.holds(slot)) {
            return Reason.UNTOLERATED_TAINT;
        }
        if (plan.affine != null && !plan.affine.holds(slot)) {
            return Reason.NODE_AFFINITY;
        }
        return null;
    }

    private static void keepNamed(Set<String> names, ClusterView cluster, AnswerDraft answer, Reason reason) {
        SlotSets sets = answer.scratch.sets;
        sets.begin(answer.verdicts.words());
        long[] named = sets.nextEmpty();
        for (String name : names) {
            int slot = cluster.slotOfNode(name);
            if (slot != NodeSlots.NONE) {
                NodeBits.set(named, slot);
            }
        }
        answer.verdicts.keep(named, reason);
    }
}
