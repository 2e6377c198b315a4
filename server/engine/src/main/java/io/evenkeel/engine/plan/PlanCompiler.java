package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.labels.Namespaces;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compiles incoming pods to plans: acquires the parts of the index that a plan needs, and releases them when the plan
 * is dropped. Both are done in steps, because all readers wait during a step.
 */
public final class PlanCompiler {
    private final ClusterView cluster;
    private final SpreadIndex index;
    private final Namespaces namespaces;

    /**
     * @param index the index from which plans acquire parts
     * @param namespaces the namespaces of their selectors
     */
    public PlanCompiler(ClusterView cluster, SpreadIndex index, Namespaces namespaces) {
        this.cluster = cluster;
        this.index = index;
        this.namespaces = namespaces;
    }

    /** Roughly how many bytes all parts take that plans use. */
    long partBytes() {
        return index.bytes() + cluster.matchBytes();
    }

    /** Updates the sum of bytes after the parts of a plan have grown. Called under the engine's lock for writing. */
    void account(PodPlan plan) {
        plan.parts().forEach(index::account);
    }

    /**
     * The excess that, with this plan, makes events too slow; null if there is none. Called under the engine's lock.
     */
    EventCostLimits.@Nullable Excess excessJoinedBy(PodPlan plan) {
        return EventCostLimits.joinedBy(plan, index);
    }

    /**
     * The selector that default constraints get from the pod's owners; null if they are not in force for the pod.
     * Called under the engine's lock.
     */
    @Nullable
    PodSelector ownersSelector(IncomingPod pod, SpreadDefaults defaults) {
        return PlanSources.ownersSelector(pod, defaults, cluster);
    }

    /** Begins to compile a plan. Takes no lock. */
    public PlanDraft draft(IncomingPod pod, SpreadDefaults defaults) {
        return new PlanDraft(cluster, index, namespaces, pod, defaults);
    }

    /** Compiles a plan at once, for callers that need not share the lock. Its groups must still be built. */
    public PodPlan compile(IncomingPod pod, SpreadDefaults defaults) {
        return finish(draft(pod, defaults));
    }

    /** Completes the plan of a draft at once. */
    public static PodPlan finish(PlanDraft draft) {
        PodPlan plan = null;
        while (plan == null) {
            if (draft.isToBeBuilt()) {
                draft.build(() -> false);
            } else {
                plan = draft.advance(() -> false);
            }
        }
        return plan;
    }

    /**
     * The steps that release all parts of a plan. They must be run in this order under the engine's lock for writing,
     * which may be released between steps.
     */
    public List<Runnable> releases(PodPlan plan) {
        List<Runnable> releases = new ArrayList<>();
        JointHistogram joint = plan.joint;
        if (joint != null) {
            releases.add(() -> index.release(joint));
        }
        for (PlannedConstraint[] constraints : new PlannedConstraint[][] {plan.hard, plan.soft}) {
            for (PlannedConstraint constraint : constraints) {
                releases.add(() -> release(constraint));
            }
        }
        releases.add(() -> releaseConditions(plan));
        return releases;
    }

    private void release(PlannedConstraint constraint) {
        if (constraint.group() != null) {
            index.release(constraint.group());
        }
        index.release(constraint.domains());
        index.release(constraint.label());
    }

    private void releaseConditions(PodPlan plan) {
        index.release(plan.schedulable);
        index.release(plan.tolerated);
        if (plan.affine != null) {
            index.release(plan.affine);
        }
        index.release(plan.fit);
        namespaces.dropIfEmpty(plan.pod().namespace());
    }
}
