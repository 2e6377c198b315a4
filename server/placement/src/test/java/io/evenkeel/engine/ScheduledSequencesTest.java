package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.script.RecordedScenario;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.simulation.PlacementRule;
import io.evenkeel.engine.simulation.RefusalListener;
import io.evenkeel.engine.simulation.Schedule;
import io.evenkeel.engine.simulation.ScheduledPods;
import io.evenkeel.engine.simulation.Scheduler;
import io.evenkeel.engine.simulation.SimulatedCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Schedules the pods of the recorded sequences, and compares their nodes with those of kube-scheduler's plugins. */
final class ScheduledSequencesTest {
    /** Pods without a node are part of the sequences. */
    private static final RefusalListener UNPLACED = (item, answer) -> {
        assertEquals(0, answer.passedCount());
        return false;
    };

    private int pods;

    @Test
    void nodes_equalThoseOfKubeScheduler_inSequences() {
        ConformanceCorpus.read(ConformanceCorpus.SEQUENCE, this::play);
        assertEquals(ConformanceCorpus.PLACES, pods);
    }

    @Test
    void nodes_equalThoseOfKubeScheduler_inLargeSequences() {
        ConformanceCorpus.read(ConformanceCorpus.LARGE_SEQUENCE, this::play);
        assertEquals(ConformanceCorpus.LARGE_PLACES, pods);
    }

    private void play(RecordedScenario scenario) {
        SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
        List<RecordedScenario.Placed> sequence = new ArrayList<>();
        for (RecordedScenario.Item item : scenario.items()) {
            if (item instanceof RecordedScenario.Placed placed) {
                sequence.add(placed);
            } else if (item instanceof RecordedScenario.Applied applied) {
                compare(scenario.name(), engine, sequence);
                sequence.clear();
                apply(engine, applied.step());
            }
        }
        compare(scenario.name(), engine, sequence);
        IndexValidator.validate(engine);
    }

    private static void apply(SpreadEngine engine, Step step) {
        engine.write(writer -> {
            if (step instanceof Step.NodeEvent event) {
                writer.apply(event.change(), event.node());
            } else if (step instanceof Step.PodEvent event) {
                writer.apply(event.change(), event.pod());
            } else if (step instanceof Step.OwnerEvent event) {
                writer.apply(event.change(), event.owner());
            }
        });
    }

    /** Schedules the pods that follow each other in one call. */
    private void compare(String scenario, SpreadEngine engine, List<RecordedScenario.Placed> sequence) {
        List<ScheduledPods> items = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (RecordedScenario.Placed placed : sequence) {
            IncomingPod pod = placed.query().pod();
            PodObject stored = placed.pod();
            String uid = stored == null ? new UUID(0, pods).toString() : stored.uid();
            pods++;
            expected.add(stored == null ? "" : stored.nodeName());
            PodObject object =
                    new PodObject(pod.namespace(), uid, uid, 0, pod.labels(), "", false, false, pod.requests());
            items.add(new ScheduledPods(
                    engine.plan(pod, placed.query().defaults()), ScoredPod.NOTHING, PodRecord.of(object), 1, ""));
        }
        Schedule schedule = new SimulatedCluster(engine)
                .schedule(new Scheduler(engine, items, PlacementRule.SPREAD, List.of(), UNPLACED, StopSignal.NEVER));
        List<String> actual = new ArrayList<>();
        int next = 0;
        for (int item = 0; item < items.size(); item++) {
            boolean isPlaced = schedule.placed(item) > 0;
            actual.add(isPlaced ? String.valueOf(schedule.names().name(schedule.nodes()[next++])) : "");
        }
        assertEquals(expected, actual, scenario);
    }
}
