package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.labels.Namespaces;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compiles incoming pods to plans, acquiring what they count by, and lets go of it again; both in steps, since everyone
 * waits meanwhile.
 */
public final class PlanCompiler {
    private final ClusterView cluster;
    private final SpreadIndex index;
    private final Namespaces namespaces;

    /**
     * @param index where plans acquire what they count by
     * @param namespaces where their selectors are at home
     */
    public PlanCompiler(ClusterView cluster, SpreadIndex index, Namespaces namespaces) {
        this.cluster = cluster;
        this.index = index;
        this.namespaces = namespaces;
    }

    /** About how many bytes all take that plans count by. */
    long partBytes() {
        return index.bytes() + cluster.matchBytes();
    }

    /** Under the engine's write lock: takes note of what a plan's parts take, which have grown. */
    void account(PodPlan plan) {
        plan.parts().forEach(index::account);
    }

    /** Under the engine's lock: those that make events too long together with a plan; null where none do. */
    EventTax.@Nullable Crowd crowdJoinedBy(PodPlan plan) {
        return EventTax.joinedBy(plan, index);
    }

    /** The beginning of a plan; takes no lock. */
    public PlanDraft draft(IncomingPod pod, SpreadDefaults defaults) {
        return new PlanDraft(cluster, index, namespaces, pod, defaults);
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
        namespaces.dropIfEmpty(plan.pod().namespace());
    }
}
