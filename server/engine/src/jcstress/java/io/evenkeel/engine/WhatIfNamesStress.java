package io.evenkeel.engine;

import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two concurrent what-ifs remove pods by namespace and name, each in a different namespace. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Each finds its pod.")
@Outcome(expect = Expect.FORBIDDEN, desc = "One looked in the other's namespace.")
@State
public class WhatIfNamesStress {
    private final StressWorld world = new StressWorld(8);
    private final PodPlan plan = world.plan(StressWorld.BY_ZONE);

    public WhatIfNamesStress() {
        world.add(StressWorld.pod("one", "alone", "z1"));
        world.add(StressWorld.pod("other", "lone", "z2"));
    }

    @Actor
    public void one(II_Result result) {
        result.r1 = unknown(PodKey.ofName("one", "alone"));
    }

    @Actor
    public void other(II_Result result) {
        result.r2 = unknown(PodKey.ofName("other", "lone"));
    }

    /** How many of the pods to be removed are reported as missing from the cluster. */
    private int unknown(PodKey pod) {
        return World.whatIf(world.engine, plan, "z1", List.of(pod), List.of())
                .unknown()
                .size();
    }
}
