package io.evenkeel.engine.explain;

import io.evenkeel.engine.StressWorld;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import java.util.Comparator;
import java.util.stream.Collectors;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * A hypothetical cluster without one of two pods in a zone is explained, while a pod is added to the other zone and a
 * third thread asks for the best node.
 */
@JCStressTest
@Outcome(id = "1/0, z2, sound", expect = Expect.ACCEPTABLE, desc = "The explanation was first.")
@Outcome(id = "1/1, z2, sound", expect = Expect.ACCEPTABLE, desc = "The pod was first.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Another thread saw the hypothetical cluster.")
@State
public class ExplanationStress {
    private static final Overlay WITHOUT_FIRST = Overlay.without(PodKey.ofName(World.NAMESPACE, "first"));

    private final StressWorld world = new StressWorld(8);
    private final PodPlan plan = world.plan(StressWorld.BY_ZONE);

    public ExplanationStress() {
        world.add(StressWorld.pod(World.NAMESPACE, "neighbour", "z1"));
    }

    @Actor
    public void explain(LLL_Result result) {
        result.r1 = countsByZone(
                world.engine.explain(plan, NodeSubset.ALL, EntryRules.NONE, WITHOUT_FIRST, 8, StopSignal.NEVER));
    }

    @Actor
    public void comes() {
        world.add(StressWorld.pod(World.NAMESPACE, "second", "z2"));
    }

    @Actor
    public void ask(LLL_Result result) {
        result.r2 = world.best(StressWorld.BY_ZONE);
    }

    @Arbiter
    public void recount(LLL_Result result) {
        result.r3 = world.recount();
    }

    private static String countsByZone(Explanation explanation) {
        return explanation.constraints().get(0).domains().stream()
                .sorted(Comparator.comparing(Explanation.DomainState::value))
                .map(domain -> String.valueOf(domain.matchingPods()))
                .collect(Collectors.joining("/"));
    }
}
