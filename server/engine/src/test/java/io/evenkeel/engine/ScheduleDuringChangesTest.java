package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.script.World;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.engine.simulation.RefusalListener;
import io.evenkeel.engine.simulation.Schedule;
import io.evenkeel.engine.simulation.ScheduledPods;
import io.evenkeel.engine.simulation.Scheduler;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what assumed pods are answered with if other writers come right after them. */
final class ScheduleDuringChangesTest {
    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());

    @Test
    void node_isNamedAsWhenThePodWasAssumed_ifAnotherHasItsIndexAtTheEnd() {
        change(Change.ADDED, "a");
        PodPlan plan = engine.plan(World.web(), SpreadDefaults.NONE);
        List<ScheduledPods> items = List.of(one(plan, "first"), one(plan, "second"));

        Schedule schedule = new Scheduler(
                        engine, items, PlacementRule.FIRST, List.of(), new ReplacingTheNode(), StopSignal.NEVER)
                .assume(null);

        assertFalse(engine.hasNode("a"));
        assertEquals(1, schedule.placed());
        assertEquals("a", schedule.names().name(schedule.nodes()[0]));
    }

    @Test
    void revision_isThatOfTheState_withoutPods() {
        change(Change.ADDED, "a");
        Schedule schedule = new Scheduler(
                        engine, List.of(), PlacementRule.FIRST, List.of(), new ReplacingTheNode(), StopSignal.NEVER)
                .assume(null);
        assertEquals(engine.revision(), schedule.revision());
    }

    private static ScheduledPods one(PodPlan plan, String name) {
        PodRecord pod = PodRecord.of(new PodObject(World.NAMESPACE, name, name, 0, World.WEB, "", false, false));
        return new ScheduledPods(plan, ScoredPod.NOTHING, pod, 1, "");
    }

    private void change(Change change, String name) {
        NodeObject node = new NodeObject(name, name, 0, Map.of(), List.of(), false, new NodeAllocatable(1, Map.of()));
        engine.write(writer -> writer.apply(change, node));
    }

    /** Replaces the node by another one before the schedule is returned. */
    private final class ReplacingTheNode implements RefusalListener {
        @Override
        public boolean refused(int item, Answer answer) {
            return true;
        }

        @Override
        public void afterRefusal(int item) {
            change(Change.DELETED, "a");
            change(Change.ADDED, "b");
        }

        @Override
        public void notAssumed(int item, Assumption why) {
            throw new AssertionError("item " + item + " was " + why);
        }
    }
}
