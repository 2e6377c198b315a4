package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

/** Compiles plans on a store without an engine, all at once, and lets go of them likewise. */
final class PlanMaker {
    private final ClusterStore store;
    private final PlanCompiler compiler;

    PlanMaker(ClusterStore store) {
        this.store = store;
        this.compiler = new PlanCompiler(store);
    }

    PlanDraft draft(IncomingPod pod, DefaultConstraints defaults) {
        return compiler.draft(pod, defaults);
    }

    /** Its groups still have to be built. */
    PodPlan compile(IncomingPod pod, DefaultConstraints defaults) {
        return compiler.compile(pod, defaults);
    }

    /** The plan of a draft that has come as far as it has. */
    PodPlan finish(PlanDraft draft) {
        PodPlan plan = PlanCompiler.finish(draft);
        assertTrue(draft.isComplete());
        return plan;
    }

    List<Runnable> releases(PodPlan plan) {
        return compiler.releases(plan);
    }

    void release(PodPlan plan) {
        releases(plan).forEach(Runnable::run);
    }

    /** Builds the plan's groups. */
    void build(PodPlan plan) {
        GroupBuilder builder = new GroupBuilder(store);
        for (SpreadGroup group : plan.groupsToBuild()) {
            while (!builder.advance(group)) {
                assertTrue(!group.isBuilt());
            }
        }
    }
}
