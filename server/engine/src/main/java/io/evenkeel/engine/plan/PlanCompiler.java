package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.store.ClusterStore;
import java.util.ArrayList;
import java.util.List;

/**
 * Compiles incoming pods to plans, acquiring what they count by, and lets go of it again; both in steps, since everyone
 * waits meanwhile.
 */
public final class PlanCompiler {
    private final ClusterStore store;

    public PlanCompiler(ClusterStore store) {
        this.store = store;
    }

    /** The beginning of a plan; takes no lock. */
    public PlanDraft draft(IncomingPod pod, SpreadDefaults defaults) {
        return new PlanDraft(store, pod, defaults);
    }

    /** A plan all at once, where nobody waits; its groups still have to be built. */
    public PodPlan compile(IncomingPod pod, SpreadDefaults defaults) {
        return finish(draft(pod, defaults));
    }

    /** The plan of a draft that has come as far as it has, at once. */
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
     * What lets go of all that a plan rests on, to be run in this order under the engine's write lock, with others'
     * turns in between or without.
     */
    public List<Runnable> releases(PodPlan plan) {
        List<Runnable> releases = new ArrayList<>();
        JointHistogram joint = plan.joint;
        if (joint != null) {
            releases.add(() -> store.index.release(joint));
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
            store.index.release(constraint.group());
        }
        store.index.release(constraint.domains());
        store.index.release(constraint.label());
    }

    private void releaseConditions(PodPlan plan) {
        store.index.release(plan.schedulable);
        store.index.release(plan.tolerated);
        if (plan.affine != null) {
            store.index.release(plan.affine);
        }
        store.namespaces.dropIfEmpty(plan.pod().namespace());
    }
}
