package io.evenkeel.engine;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import io.evenkeel.engine.whatif.WhatIfResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests a topology that changes from wide to narrow while a plan uses it. */
final class TurnedTopologyTest {
    private static final Map<String, String> DATABASE = Map.of("app", "db");

    private final SpreadEngine engine =
            new SpreadEngine(EngineOptions.defaults().withNarrowUpTo(3));

    @Test
    void removedPods_areCountedOutOfTheirOwnConstraint_whenATopologyHasTurnedSinceThePlanWasMade() {
        for (int node = 0; node < 8; node++) {
            apply(node("node-" + node, "zone-" + node % 2, "host-" + node));
        }
        engine.write(batch -> batch.apply(Change.ADDED, pod("web", WEB, "node-0")));
        // The zones count web pods, the hosts databases, of which there are none.
        SpreadConstraint byHost =
                new SpreadConstraint(1, HOSTNAME, true, PodSelector.ofLabels(DATABASE), List.of(), 0, true, false);
        PodPlan plan = engine.plan(web(hard(ZONE), byHost), SpreadDefaults.NONE);
        for (int node = 0; node < 8; node++) {
            apply(node("node-" + node, "zone-" + node % 2, "one-host"));
        }
        assertEquals(Reason.SKEW, judge(plan, List.of()).reason());
        WhatIfResult without = judge(plan, List.of(PodKey.ofUid("web")));
        assertNull(without.reason());
        assertNotNull(judge(plan, List.of()).reason());
        IndexValidator.validate(engine);
    }

    private WhatIfResult judge(PodPlan plan, List<PodKey> removed) {
        return World.whatIf(engine, plan, "node-0", removed, List.of());
    }

    private void apply(NodeObject node) {
        engine.write(batch -> batch.apply(Change.MODIFIED, node));
    }

    private static NodeObject node(String name, String zone, String host) {
        return new NodeObject(name, "uid of " + name, 0, Map.of(ZONE, zone, HOSTNAME, host), List.of(), false);
    }

    private static PodObject pod(String name, Map<String, String> labels, String node) {
        return new PodObject(NAMESPACE, name, name, 0, labels, node, false, false);
    }
}
