package io.evenkeel.engine.explain;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.constraint;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.soft;
import static io.evenkeel.engine.script.World.web;
import static io.evenkeel.engine.script.World.withNodeSelector;
import static io.evenkeel.engine.script.World.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.EngineLayout;
import io.evenkeel.engine.EngineSubject;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation.AbsentLabel;
import io.evenkeel.engine.explain.Explanation.Cause;
import io.evenkeel.engine.explain.Explanation.ConstraintState;
import io.evenkeel.engine.explain.Explanation.DomainState;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.engine.script.World;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ExplanationTest {
    private static final String RACK = "rack";
    private static final NodeTaint FULL = new NodeTaint("full", "yes", "NoSchedule");

    private final EngineSubject engine = EngineLayout.DEFAULT.validatingSubject();

    @Test
    void conflict_namesThePair_whenEachAloneAdmitsANode() {
        new World(engine)
                .node("a1", "A")
                .node("a2", "A")
                .node("b1", "B")
                .pods(2, "a1")
                .pods(1, "a2")
                .pods(2, "b1");
        Explanation explanation = explain(web(soft(ZONE), hard(ZONE), hard(HOSTNAME)));
        assertEquals(List.of(List.of(1, 2)), explanation.conflicts());
        assertEquals(1, explanation.constraints().get(1).admitted());
        assertEquals(2, explanation.constraints().get(1).leastMaxSkew());
        assertEquals(2, explanation.constraints().get(2).leastMaxSkew());
    }

    /** Any two of zone, hostname and rack admit a node, all three together admit none. */
    @Test
    void conflict_namesAllThree_whenNoTwoAreAtOdds() {
        World world = new World(engine);
        // zone, rack: a constraint admits the emptier of the two domains that hold 2 and 1; hostname admits the nodes
        // with no pod.
        world.node("n1", Map.of(ZONE, "low", RACK, "low", HOSTNAME, "n1")).pods(1, "n1");
        world.node("n2", Map.of(ZONE, "low", RACK, "high", HOSTNAME, "n2"));
        world.node("n3", Map.of(ZONE, "high", RACK, "low", HOSTNAME, "n3"));
        world.node("n4", Map.of(ZONE, "high", RACK, "high", HOSTNAME, "n4")).pods(2, "n4");
        Explanation explanation = explain(web(hard(ZONE), hard(RACK), hard(HOSTNAME)));
        assertEquals(List.of(List.of(0, 1, 2)), explanation.conflicts());
    }

    @Test
    void conflicts_areNone_whenANodeSuitsAll_orOneConstraintSuitsNone() {
        zones(engine, 1, 1, 0);
        assertEquals(List.of(), explain(web(hard(ZONE), hard(HOSTNAME))).conflicts());
        assertEquals(List.of(), explain(web(hard(ZONE), hard("absent"))).conflicts());
    }

    @Test
    void cause_namesTheFirstTaintThatIsNotTolerated() {
        NodeTaint mild = new NodeTaint("mild", "", "PreferNoSchedule");
        NodeTaint tolerated = new NodeTaint("gpu", "", "NoSchedule");
        new World(engine).node("a", "A", mild, tolerated, FULL, new NodeTaint("later", "", "NoExecute"));
        IncomingPod pod = new IncomingPod(
                NAMESPACE,
                WEB,
                Map.of(),
                null,
                List.of(new TaintToleration("gpu", "Exists", "", "")),
                List.of(constraint(ZONE, true, 0, true, true)),
                null);
        Explanation explanation = explain(pod);
        assertEquals(Map.of(Cause.of(FULL), 1), explanation.causes());
        assertEquals(
                Map.of(Cause.of(FULL), 1),
                explanation.constraints().get(0).domains().get(0).ineligibleBy());
    }

    @Test
    void domain_isIneligible_byTheFirstKeyThatItsNodesLack() {
        zones(engine, 1, 0).node("bare", Map.of(ZONE, "z3"));
        ConstraintState zone =
                explain(web(hard(ZONE), hard(HOSTNAME))).constraints().get(0);
        DomainState last = zone.domains().get(2);
        assertEquals("z3", last.value());
        assertFalse(last.eligible());
        assertEquals(Map.of(Cause.of(Reason.MISSING_LABEL, 1), 1), last.ineligibleBy());
        assertEquals(3, zone.totalDomains());
        assertEquals(2, zone.eligibleDomains());
    }

    @Test
    void domains_areTheEmptiestAndTheFullest_whenThereAreMoreThanAskedFor() {
        zones(engine, 5, 1, 4, 2, 3, 0).node("bare", Map.of(ZONE, "z7"));
        IncomingPod pod = web(hard(ZONE), hard(HOSTNAME));
        assertEquals(List.of("z6", "z2", "z4", "z5", "z3", "z1", "z7"), values(explain(pod, Overlay.NONE, 7)));
        assertEquals(List.of("z6", "z2", "z4", "z5", "z3", "z1"), values(explain(pod, Overlay.NONE, 6)));
        assertEquals(List.of("z6", "z2", "z4", "z3", "z1"), values(explain(pod, Overlay.NONE, 5)));
        assertEquals(List.of("z6"), values(explain(pod, Overlay.NONE, 1)));
        assertEquals(List.of(), values(explain(pod, Overlay.NONE, 0)));
        assertEquals(7, explain(pod, Overlay.NONE, 0).constraints().get(0).totalDomains());
    }

    @Test
    void spot_isNowhere_ifTheNodeLacksTheKey_asUnderSystemDefaults() {
        zones(engine, 1, 0).node("bare", Map.of(HOSTNAME, "bare"));
        Explanation explanation = explain(web(soft(ZONE)));
        explanation.verdicts().forEach(verdict -> {
            String domain = verdict.domains().get(0).domain();
            assertEquals(verdict.node().equals("bare") ? null : verdict.node(), domain);
        });
    }

    @Test
    void labelKeys_areReported_whenNoNodeCarriesAKeyThatIsAskedFor() {
        zones(engine, 1, 0);
        assertTrue(explain(web(hard(ZONE))).labelKeys().isEmpty());
        assertEquals(Map.of(ZONE, 2, HOSTNAME, 2), explain(web(hard("zone"))).labelKeys());
        Explanation pinned =
                explain(withNodeSelector(web(hard(ZONE)), Map.of(ZONE, "z9", "gpu", "yes", HOSTNAME, "z1")));
        assertEquals(Map.of(ZONE, 2, HOSTNAME, 2), pinned.labelKeys());
        assertEquals(
                List.of(new AbsentLabel("gpu", "yes", List.of()), new AbsentLabel(ZONE, "z9", List.of("z1", "z2"))),
                pinned.absentLabels());
    }

    @Test
    void placedPod_isThoughtAway_andCountsAgainAfterwards() {
        zones(engine, 2, 1);
        PodKey placed = PodKey.ofName(NAMESPACE, "z2-1");
        Explanation without = explain(web(hard(ZONE)), Overlay.without(placed), 10);
        assertTrue(without.wasPlaced());
        assertEquals(0, without.constraints().get(0).minimum());
        Explanation with = explain(web(hard(ZONE)), Overlay.without(PodKey.ofUid("no-such-pod")), 10);
        assertFalse(with.wasPlaced());
        assertEquals(1, with.constraints().get(0).minimum());
        engine.validate();
    }

    private static List<String> values(Explanation explanation) {
        return explanation.constraints().get(0).domains().stream()
                .map(DomainState::value)
                .toList();
    }

    private Explanation explain(IncomingPod pod) {
        return explain(pod, Overlay.NONE, 100);
    }

    private Explanation explain(IncomingPod pod, Overlay overlay, int maxDomains) {
        SpreadEngine asked = engine.engine();
        return asked.explain(
                asked.plan(pod, SpreadDefaults.NONE),
                NodeSubset.ALL,
                EntryRules.ENTERABLE,
                overlay,
                maxDomains,
                StopSignal.NEVER);
    }
}
