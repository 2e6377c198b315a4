package io.evenkeel.engine.pending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.script.World;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests how much memory a problem may take. */
final class ProblemReaderTest {
    private static final int NODES = 20_000;

    private final SpreadEngine engine =
            new SpreadEngine(EngineOptions.defaults().withMaxPlanBytes(Long.MAX_VALUE));

    private static SpreadConstraint perHost(int number) {
        PodSelector selector = PodSelector.ofLabels(Map.of("app", "app-" + number));
        return new SpreadConstraint(1, World.HOSTNAME, true, selector, List.of(), 0, true, false);
    }

    private PendingProblem problem(int constraints) {
        SpreadConstraint[] its = IntStream.range(0, constraints)
                .mapToObj(ProblemReaderTest::perHost)
                .toArray(SpreadConstraint[]::new);
        try (PlanPins pins = engine.pinPlans(StopSignal.NEVER, PlanPins.UNLIMITED)) {
            PlannedPods pods = new PlannedPods(pins.plan(World.web(its), SpreadDefaults.NONE), 1);
            return engine.pending(List.of(pods), List.of(), List.of(), true, StopSignal.NEVER);
        }
    }

    @Test
    void countsThatWouldTakeTooMuchMemory_areRejectedBeforeTheyAreMade() {
        engine.write(batch -> IntStream.range(0, NODES).forEach(node -> {
            Map<String, String> labels = Map.of(World.HOSTNAME, "n" + node);
            batch.apply(Change.ADDED, new NodeObject("n" + node, "node " + node, 0, labels, List.of(), false));
        }));
        long room = Runtime.getRuntime().maxMemory() / 32;
        int tooMany = (int) (room / (Integer.BYTES * NODES)) + 1;

        assertEquals(NODES, problem(2).nodes().size());
        CapacityException refused = assertThrows(CapacityException.class, () -> problem(tooMany));
        assertTrue(Objects.requireNonNull(refused.getMessage()).contains(" " + room + " bytes"), refused::getMessage);
    }
}
