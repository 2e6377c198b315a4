package io.evenkeel.engine.validator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanCompiler;
import io.evenkeel.engine.plan.PlanDraft;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterStore;
import io.evenkeel.engine.store.ClusterView;
import io.evenkeel.engine.store.GroupBuilder;
import java.util.List;

/** Compiles and releases plans on a store without an engine. */
public final class PlanMaker {
    private final ClusterStore store;
    private final PlanCompiler compiler;

    public PlanMaker(ClusterStore store) {
        this.store = store;
        this.compiler = new PlanCompiler(new ClusterView(store), store.index, store.namespaces);
    }

    public PlanDraft draft(IncomingPod pod, SpreadDefaults defaults) {
        return compiler.draft(pod, defaults);
    }

    /** Compiles a plan. Its groups must still be built. */
    public PodPlan compile(IncomingPod pod, SpreadDefaults defaults) {
        return compiler.compile(pod, defaults);
    }

    /** Completes the plan of a draft. */
    public PodPlan finish(PlanDraft draft) {
        PodPlan plan = PlanCompiler.finish(draft);
        assertTrue(draft.isComplete());
        return plan;
    }

    public List<Runnable> releases(PodPlan plan) {
        return compiler.releases(plan);
    }

    public void release(PodPlan plan) {
        releases(plan).forEach(Runnable::run);
    }

    /** Builds the plan's groups. */
    public void build(PodPlan plan) {
        GroupBuilder builder = new GroupBuilder(store, Slices.PODS);
        for (SpreadGroup group : plan.groupsToBuild()) {
            while (!builder.advance(group)) {
                assertTrue(!group.isBuilt());
            }
        }
    }
}
