package io.evenkeel.engine;

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

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.engine.script.ScriptTarget;
import io.evenkeel.engine.script.World;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Small clusters whose answers are known from the documentation of Kubernetes, from KEP-895 and KEP-3022, and from the
 * tests of other schedulers. Unless stated otherwise, there is one hard constraint with maxSkew 1, and the pod matches
 * its own selector.
 */
abstract class DocumentedClusters {
    private static final NodeTaint CORDONED = new NodeTaint("node.kubernetes.io/unschedulable", "", "NoSchedule");

    abstract ScriptTarget subject();

    @Test
    void twoAndOne_leavesTheSecondZone() {
        assertEquals(Set.of("z2"), zones(subject(), 2, 1).mayGoTo(web(hard(ZONE))));
    }

    @Test
    void oneOneNone_leavesTheEmptyZone() {
        assertEquals(Set.of("z3"), zones(subject(), 1, 1, 0).mayGoTo(web(hard(ZONE))));
    }

    @Test
    void fiveThreeTwo_leavesTheThirdZone() {
        assertEquals(Set.of("z3"), zones(subject(), 5, 3, 2).mayGoTo(web(hard(ZONE))));
    }

    @Test
    void oneEach_leavesNone_whenThereAreFewerDomainsThanMinDomains() {
        World world = zones(subject(), 1, 1, 1);
        assertEquals(Set.of(), world.mayGoTo(web(constraint(HOSTNAME, true, 5, true, false))));
        assertEquals(Set.of("z1", "z2", "z3"), world.mayGoTo(web(constraint(HOSTNAME, true, 3, true, false))));
    }

    @Test
    void zoneAndHostname_leaveNone_whenTheyDisagree() {
        World world = new World(subject())
                .node("a1", "A")
                .node("a2", "A")
                .node("b1", "B")
                .pods(2, "a1")
                .pods(1, "a2")
                .pods(2, "b1");
        assertEquals(Set.of("b1"), world.mayGoTo(web(hard(ZONE))));
        assertEquals(Set.of("a2"), world.mayGoTo(web(hard(HOSTNAME))));
        assertEquals(Set.of(), world.mayGoTo(web(hard(ZONE), hard(HOSTNAME))));
    }

    @Test
    void zoneShutOutByAffinity_isNoDomainUnderHonor_yetSetsTheMinimumUnderIgnore() {
        World world = zones(subject(), 2, 1, 0);
        IncomingPod honoring = notIn("z3", web(constraint(ZONE, true, 0, true, false)));
        assertEquals(Set.of("z2"), world.mayGoTo(honoring));

        IncomingPod ignoring = notIn("z3", web(constraint(ZONE, true, 0, false, false)));
        assertEquals(Set.of("z3"), world.fits(ignoring));
        assertEquals(Set.of(), world.mayGoTo(ignoring));
    }

    @Test
    void taintedZone_setsTheMinimum_underTaintsIgnore() {
        IncomingPod pod = web(hard(ZONE));
        assertEquals(Set.of(), thirdZoneTainted(1, 1, 0).mayGoTo(pod));
        assertEquals(Set.of(), thirdZoneTainted(2, 1, 0).mayGoTo(pod));
        assertEquals(Set.of("z1", "z2"), thirdZoneTainted(1, 1, 1).mayGoTo(pod));
        assertEquals(Set.of("z2"), thirdZoneTainted(2, 1, 1).mayGoTo(pod));
    }

    @Test
    void taintedZone_isNoDomain_underTaintsHonor() {
        IncomingPod pod = web(constraint(ZONE, true, 0, true, true));
        assertEquals(Set.of("z1", "z2"), thirdZoneTainted(1, 1, 0).mayGoTo(pod));
        assertEquals(Set.of("z2"), thirdZoneTainted(2, 1, 0).mayGoTo(pod));
    }

    @Test
    void softConstraint_scoresTheEmptierZoneHigher_andEqualZonesAlike() {
        IncomingPod pod = web(soft(ZONE));
        Map<String, Integer> level = thirdZoneTainted(1, 1, 0).scores(pod);
        assertEquals(level.get("z1"), level.get("z2"));
        // 1 × ln 5 and 2 × ln 5, rounded, are 2 and 3: 100 × (3 + 0 − 3) / 3 and 100 × (3 + 0 − 2) / 3.
        assertEquals(
                Map.of("z1", 0, "z2", 33, "z3", 100), thirdZoneTainted(2, 1, 0).scores(pod));
    }

    @Test
    void threeThreeThreeCutToThreeNoneNone_endsThreeTwoOne_afterThreeMorePods() {
        World world = zones(subject(), 3, 3, 3);
        for (String pod : List.of("z2-1", "z2-2", "z2-3", "z3-1", "z3-2", "z3-3")) {
            world.podGone(pod);
        }
        IncomingPod pod = web(hard(ZONE));
        assertEquals(Set.of("z2", "z3"), world.mayGoTo(pod));
        world.pods(1, "z2");
        assertEquals(Set.of("z3"), world.mayGoTo(pod));
        world.pods(1, "z3");
        assertEquals(Set.of("z2", "z3"), world.mayGoTo(pod));
        world.pods(1, "z2");
        assertEquals(Set.of("z3"), world.mayGoTo(pod));
    }

    @Test
    void podsOutsideTheirOwnSelector_mayAllShareOneNode() {
        World world = new World(subject()).node("a", "A").node("b", "B");
        IncomingPod other = new IncomingPod(
                NAMESPACE, Map.of("app", "other"), Map.of(), null, List.of(), List.of(hard(HOSTNAME)), null);
        for (int i = 0; i < 4; i++) {
            assertEquals(Set.of("a", "b"), world.mayGoTo(other));
            world.pod(other.labels(), "a");
        }
    }

    @Test
    void podsThatAreElsewhereUnplacedTerminatingOrFinished_doNotCount() {
        World world = zones(subject(), 1, 1)
                .node("bare", Map.of(HOSTNAME, "bare"))
                .pods(1, "bare")
                .pod("other-namespace", WEB, "z1", false, false)
                .pod(NAMESPACE, WEB, "", false, false)
                .pod(NAMESPACE, WEB, "z1", true, false)
                .pod(NAMESPACE, WEB, "z1", false, true)
                .pod(NAMESPACE, WEB, "unknown-node", false, false)
                .pod(Map.of(), "z1");
        assertEquals(Set.of("z1", "z2"), world.mayGoTo(web(hard(ZONE))));
        world.pods(1, "z1");
        assertEquals(Set.of("z2"), world.mayGoTo(web(hard(ZONE))));
    }

    @Test
    void revisionsUnderMatchLabelKeys_spreadEachForItself() {
        World world = new World(subject()).node("a", "A").node("b", "B");
        for (String revision : List.of("old", "new")) {
            Map<String, String> labels = Map.of("app", "web", "pod-template-hash", revision);
            SpreadConstraint perRevision = new SpreadConstraint(
                    1, HOSTNAME, true, PodSelector.ofLabels(WEB), List.of("pod-template-hash"), 0, true, false);
            IncomingPod pod = new IncomingPod(NAMESPACE, labels, Map.of(), null, List.of(), List.of(perRevision), null);
            assertEquals(Set.of("a", "b"), world.mayGoTo(pod));
            world.pod(labels, "a");
            assertEquals(Set.of("b"), world.mayGoTo(pod));
            world.pod(labels, "b");
            assertEquals(Set.of("a", "b"), world.mayGoTo(pod));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"red", "blue"})
    void taintedPools_areSpreadOverEachForItself_underTaintsHonor(String pool) {
        World world = new World(subject());
        for (String colour : List.of("red", "blue")) {
            NodeTaint taint = new NodeTaint("pool", colour, "NoSchedule");
            world.node(colour + "-1", colour + "-zone-1", taint).node(colour + "-2", colour + "-zone-2", taint);
        }
        IncomingPod pod = new IncomingPod(
                NAMESPACE,
                WEB,
                Map.of(),
                null,
                List.of(new TaintToleration("pool", "Equal", pool, "")),
                List.of(constraint(ZONE, true, 0, true, true)),
                null);
        world.pods(1, pool + "-1");
        assertEquals(Set.of(pool + "-2"), world.mayGoTo(pod));
        world.pods(1, pool + "-2");
        assertEquals(Set.of(pool + "-1", pool + "-2"), world.mayGoTo(pod));
    }

    /** Under Honor only one domain remains, fewer than three, so the minimum is 0; under Ignore there are three. */
    @Test
    void podPinnedToOneZone_landsThere_whenMinDomainsAreThereForThePolicy() {
        World world = zones(subject(), 1, 1, 1);
        Map<String, String> pin = Map.of(ZONE, "z2");
        IncomingPod ignoring = withNodeSelector(web(constraint(ZONE, true, 3, false, false)), pin);
        assertEquals(Set.of("z2"), world.mayGoTo(ignoring));
        IncomingPod honoring = withNodeSelector(web(constraint(ZONE, true, 3, true, false)), pin);
        assertEquals(Set.of(), world.mayGoTo(honoring));
    }

    @Test
    void drainOfOneHost_isBlockedUnderTaintsIgnore_andAllowedUnderHonor() {
        World world = zones(subject(), 1, 1, 1).podGone("z1-1").node("z1", "z1", CORDONED);
        assertEquals(Set.of(), world.mayGoTo(web(constraint(HOSTNAME, true, 2, true, false))));
        assertEquals(Set.of("z2", "z3"), world.mayGoTo(web(constraint(HOSTNAME, true, 2, true, true))));
    }

    private World thirdZoneTainted(int first, int second, int third) {
        return zones(subject(), first, second, third).node("z3", "z3", new NodeTaint("full", "", "NoSchedule"));
    }

    private static IncomingPod notIn(String zone, IncomingPod pod) {
        NodeRequirement elsewhere = new NodeRequirement(ZONE, "NotIn", List.of(zone));
        return new IncomingPod(
                pod.namespace(),
                pod.labels(),
                Map.of(),
                List.of(new NodeTerm(List.of(elsewhere), List.of())),
                List.of(),
                pod.constraints(),
                null);
    }
}
