package io.evenkeel.engine.cluster;

import io.evenkeel.engine.StressWorld;
import io.evenkeel.engine.model.Change;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * A node is removed and another one takes its slot, while two threads ask. The names in an answer must be those of the
 * nodes that the answer is about.
 */
@JCStressTest
@Outcome(id = "z2, z2, sound", expect = Expect.ACCEPTABLE, desc = "Both were first.")
@Outcome(id = "z2, z3, sound", expect = Expect.ACCEPTABLE, desc = "The new node was between them.")
@Outcome(id = "z3, z2, sound", expect = Expect.ACCEPTABLE, desc = "The new node was between them.")
@Outcome(id = "z3, z3, sound", expect = Expect.ACCEPTABLE, desc = "The new node was first.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An index was looked up in the wrong table.")
@State
public class NodeNameTableStress {
    private final StressWorld world = new StressWorld(8);

    @Actor
    public void one(LLL_Result result) {
        result.r1 = world.best(StressWorld.BY_ZONE);
    }

    @Actor
    public void other(LLL_Result result) {
        result.r2 = world.best(StressWorld.BY_ZONE);
    }

    @Actor
    public void replace() {
        world.engine.write(batch -> {
            batch.apply(Change.DELETED, StressWorld.node("z2"));
            batch.apply(Change.ADDED, StressWorld.node("z3"));
        });
    }

    @Arbiter
    public void recount(LLL_Result result) {
        result.r3 = world.recount();
    }
}
