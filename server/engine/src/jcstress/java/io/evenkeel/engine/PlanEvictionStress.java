package io.evenkeel.engine;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * Two threads look up plans in an engine that keeps only one, so that each drops the other's plan while it may be in
 * use.
 */
@JCStressTest
@Outcome(
        id = "z2, z2, sound",
        expect = Expect.ACCEPTABLE,
        desc = "Each is answered, and the parts of a plan are released once.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "A plan was answered after its groups were released, or they were released twice.")
@State
public class PlanEvictionStress {
    private final StressWorld world = new StressWorld(1);

    @Actor
    public void byZone(LLL_Result result) {
        result.r1 = world.best(StressWorld.BY_ZONE);
    }

    @Actor
    public void byHost(LLL_Result result) {
        result.r2 = world.best(StressWorld.BY_HOST);
    }

    @Arbiter
    public void recount(LLL_Result result) {
        result.r3 = world.recount();
    }
}
