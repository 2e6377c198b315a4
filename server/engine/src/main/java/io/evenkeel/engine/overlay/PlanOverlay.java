package io.evenkeel.engine.overlay;

import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.plan.PlanFork;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Applies an overlay to plans, one after another. Matching many pods and constraints may take several holds of the
 * engine's lock; only what is found for the last plan is kept.
 */
public final class PlanOverlay {
    private final OverlaidPods pods;
    private final ClusterView cluster;
    private final boolean fitting;
    private @Nullable PodPlan last;
    private @Nullable CountShifts shifts;

    /**
     * @param pods looked up, and still as the cluster has them, whenever this is used
     * @param fitting whether what is free on nodes changes too
     */
    public PlanOverlay(OverlaidPods pods, ClusterView cluster, boolean fitting) {
        this.pods = pods;
        this.cluster = cluster;
        this.fitting = fitting;
    }

    /**
     * Continues to match the pods for a plan, under the lock, until the time is up; returns whether all are matched.
     */
    public boolean match(PodPlan plan, BooleanSupplier isTimeUp) {
        CountShifts found = shifts;
        if (found == null || plan != last) {
            found = new CountShifts(pods, plan);
            shifts = found;
            last = plan;
        }
        return found.match(cluster, isTimeUp);
    }

    /**
     * The plan that was matched last: a copy with its own counts, to be used in the same hold of the lock, or the plan
     * itself if the overlay changes nothing that it depends on.
     */
    public PodPlan over(PodPlan matched) {
        CountShifts found = shifts;
        if (found == null || matched != last) {
            throw new IllegalStateException("the plan was not matched");
        }
        PodPlan changed = matched;
        if (!found.isEmpty()) {
            changed = PlanFork.overOwnCounts(matched);
            found.apply(changed, false);
        }
        if (fitting && !pods.isEmpty()) {
            NodeFit fit = matched.fit.fork();
            pods.shift(fit);
            changed = changed.withFit(fit);
        }
        return changed;
    }
}
