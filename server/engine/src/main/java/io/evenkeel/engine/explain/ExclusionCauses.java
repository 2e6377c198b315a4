package io.evenkeel.engine.explain;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.index.Eligibility;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds why a node is excluded, or why its pods are not counted. Unlike an answer, it names the constraint and the
 * taint.
 */
final class ExclusionCauses {
    private final StateForExplanation state;
    private final PodPlan plan;
    private final Answer answer;

    ExclusionCauses(StateForExplanation state) {
        this.state = state;
        this.plan = state.plan;
        this.answer = state.answer;
    }

    /** The first cause that excludes a candidate; null if it passed. */
    Explanation.@Nullable Cause ofTakingOut(int slot) {
        Reason reason = answer.reason(slot);
        if (reason == null) {
            return null;
        }
        return switch (reason) {
            case UNTOLERATED_TAINT -> Explanation.Cause.of(untolerated(slot));
            case RESOURCES_OF_NODE, FREE_RESOURCES -> Explanation.Cause.of(reason, shortMessages(slot));
            case MISSING_LABEL, SKEW -> ofSpread(slot);
            default -> Explanation.Cause.before(reason);
        };
    }

    private List<String> shortMessages(int slot) {
        List<String> messages = answer.shortages();
        return IntStream.range(0, messages.size())
                .filter(kind -> answer.isShort(slot, kind))
                .mapToObj(messages::get)
                .toList();
    }

    private Explanation.Cause ofSpread(int slot) {
        for (PlannedConstraint constraint : plan.hard) {
            Reason of = constraint.failure(slot);
            if (of != null) {
                return Explanation.Cause.of(of, constraint.index());
            }
        }
        throw new IllegalStateException("no constraint excludes slot " + slot);
    }

    /** What a candidate lacks, if that excludes it; otherwise empty. */
    List<Explanation.Shortage> shortages(int slot) {
        NodeAllocatable has = state.node(slot).allocatable();
        return IntStream.range(0, answer.shortages().size())
                .filter(kind -> answer.isShort(slot, kind))
                .mapToObj(kind -> {
                    String resource = plan.fit.resource(kind);
                    return new Explanation.Shortage(
                            resource,
                            plan.fit.asked(kind),
                            plan.fit.free(kind, slot),
                            has == null ? 0 : kind == 0 ? has.pods() : has.amount(resource));
                })
                .toList();
    }

    /** The first taint of a node that the pod does not tolerate; there must be one. */
    private NodeTaint untolerated(int slot) {
        for (NodeTaint taint : state.node(slot).taints()) {
            if (taint.repels()
                    && plan.pod().tolerations().stream().noneMatch(toleration -> toleration.tolerates(taint))) {
                return taint;
            }
        }
        throw new IllegalStateException("slot " + slot + " has no taint that keeps the pod off");
    }

    /**
     * Why the pods of a node do not count for a constraint; null if they do.
     *
     * <p>These are the conditions of {@link Eligibility}, checked one by one.
     */
    Explanation.@Nullable Cause ofIneligibility(PlannedConstraint constraint, int slot) {
        Eligibility eligibility = constraint.domains().eligibility;
        if (eligibility.holds(slot)) {
            return null;
        }
        for (PlannedConstraint other : constraint.source().hard() ? plan.hard : plan.soft) {
            if (!NodeBits.get(other.label().carriers(), slot)
                    && eligibility.key.keys().contains(other.source().topologyKey())) {
                return Explanation.Cause.of(Reason.MISSING_LABEL, other.index());
            }
        }
        if (constraint.source().honorAffinity() && plan.affine != null && !plan.affine.holds(slot)) {
            return Explanation.Cause.before(Reason.NODE_AFFINITY);
        }
        return Explanation.Cause.of(untolerated(slot));
    }
}
