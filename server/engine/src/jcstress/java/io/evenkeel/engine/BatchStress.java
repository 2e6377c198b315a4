package io.evenkeel.engine;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import java.util.Arrays;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * A pod moves back and forth while a batch of plans is answered, each plan in its own slice. Each zone has one node, so
 * all answers must name the same best node.
 */
@JCStressTest
@Outcome(id = "equal", expect = Expect.ACCEPTABLE, desc = "All answers are from the same revision.")
@Outcome(expect = Expect.FORBIDDEN, desc = "One answer is from a different revision than the others.")
@State
public class BatchStress {
    private final StressWorld world = new StressWorld(16);

    @Actor
    public void ask(L_Result result) {
        PodPlan byZone = world.plan(World.web(World.soft(World.ZONE)));
        PodPlan byHost = world.plan(World.web(World.soft(World.HOSTNAME)));
        int[] best = new int[4];
        world.engine.evaluate(
                List.of(byZone, byHost, byZone, byHost),
                Question.evaluate(NodeSubset.ALL, 1),
                new Answer(),
                (answer, place) -> best[place] = answer.best(0),
                StopSignal.NEVER);
        result.r1 = Arrays.stream(best).distinct().count() == 1 ? "equal" : Arrays.toString(best);
    }

    @Actor
    public void move() {
        for (int i = 0; i < 6; i++) {
            String node = i % 2 == 0 ? "z2" : "z1";
            world.engine.write(batch -> batch.apply(Change.MODIFIED, StressWorld.pod(World.NAMESPACE, "first", node)));
        }
    }
}
