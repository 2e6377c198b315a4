package io.evenkeel.placement.explain;

import static io.evenkeel.placement.Explained.HOSTNAME;
import static io.evenkeel.placement.Explained.WEB;
import static io.evenkeel.placement.Explained.ZONE;
import static io.evenkeel.placement.Explained.advice;
import static io.evenkeel.placement.Explained.domains;
import static io.evenkeel.placement.Explained.hard;
import static io.evenkeel.placement.Explained.soft;
import static io.evenkeel.placement.Explained.webManifest;
import static io.evenkeel.placement.Explained.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.placement.Explained;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.NodeExplanation;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests explanations of small clusters with known answers: the summary, the minimum, which domains admit the pod, what
 * excludes the others, and the advice.
 */
final class PodExplainerTest {
    private static final NodeTaint FULL = new NodeTaint("full", "", "NoSchedule");
    private static final String SPREAD = "node(s) didn't match pod topology spread constraints";

    @Test
    void twoAndOne_wouldDoInTheSecondZone() {
        ExplainResponse response = zones(2, 1).web(hard(ZONE));
        assertEquals("1/2 nodes are available; the others: 1 " + SPREAD + ".", response.getSummary());
        assertEquals(1, response.getConstraints(0).getGlobalMinimum());
        assertEquals(Map.of("z1", "2 2 no 0/1", "z2", "1 1 would-do 1/1"), domains(response));
        assertEquals(Map.of(), advice(response));
    }

    @Test
    void oneOneNone_wouldDoInTheEmptyZone() {
        ExplainResponse response = zones(1, 1, 0).web(hard(ZONE));
        assertEquals(0, response.getConstraints(0).getGlobalMinimum());
        assertEquals(1, response.getConstraints(0).getCriticalPathCount());
        assertEquals(Map.of("z1", "1 2 no 0/1", "z2", "1 2 no 0/1", "z3", "0 1 would-do 1/1"), domains(response));
        assertEquals("z3", response.getConstraints(0).getDomains(0).getValue());
        assertEquals(Map.of(), advice(response));
    }

    @Test
    void fiveThreeTwo_wouldDoInTheThirdZone() {
        ExplainResponse response = zones(5, 3, 2).web(hard(ZONE));
        assertEquals(2, response.getConstraints(0).getGlobalMinimum());
        assertEquals(Map.of("z1", "5 4 no 0/1", "z2", "3 2 no 0/1", "z3", "2 1 would-do 1/1"), domains(response));
    }

    @Test
    void minDomains_areReportedToBeTooMany_whenThereAreFewerDomains() {
        ExplainResponse response = zones(1, 1, 1).web(hard(HOSTNAME) + ", minDomains: 5");
        assertEquals("0/3 nodes are available: 3 " + SPREAD + ".", response.getSummary());
        ConstraintExplanation hostname = response.getConstraints(0);
        assertTrue(hostname.getTooFewDomains());
        assertEquals(0, hostname.getGlobalMinimum());
        assertEquals(2, hostname.getLeastMaxSkew());
        assertEquals(Map.of("z1", "1 2 no 0/1", "z2", "1 2 no 0/1", "z3", "1 2 no 0/1"), domains(response));
        assertEquals(
                Map.of(
                        "tsc[0].minDomains",
                        "It is 5, but the nodes have only 3 values of kubernetes.io/hostname, so the global minimum counts as 0."
                                + " | With no minDomains, 3 nodes would pass what is judged."),
                advice(response));
    }

    @Test
    void zoneAndHostname_areReportedToConflict_whenNoNodeSuitsBoth() {
        ExplainResponse response = new Explained()
                .node("a1", "A")
                .node("a2", "A")
                .node("b1", "B")
                .pods(2, "a1", WEB)
                .pods(1, "a2", WEB)
                .pods(2, "b1", WEB)
                .web(hard(ZONE), hard(HOSTNAME));
        assertEquals("0/3 nodes are available: 3 " + SPREAD + ".", response.getSummary());
        assertEquals(Map.of("A", "3 2 no 0/2", "B", "2 1 would-do 0/1"), domains(response));
        assertEquals(
                "maxSkew of [1] kubernetes.io/hostname",
                response.getConstraints(0).getDomains(0).getExclusions(0).getMessage());
        assertEquals(
                Map.of(
                        "tsc",
                        "No node satisfies [0] topology.kubernetes.io/zone and [1] kubernetes.io/hostname together, although"
                                + " each alone admits some ([0] 1 node, [1] 1 node). By what is judged, the pod would fit with"
                                + " maxSkew 2 in [0] or maxSkew 2 in [1] or ScheduleAnyway in either."),
                advice(response));
    }

    @Test
    void zoneShutOutByAffinity_isNoDomain_underHonor() {
        ExplainResponse response = zones(2, 1, 0).pod(webManifest(notInZ3(), hard(ZONE)));
        assertEquals(
                "1/3 nodes are available; the others: 1 node(s) didn't match Pod's node affinity/selector, 1 " + SPREAD
                        + ".",
                response.getSummary());
        assertEquals(1, response.getConstraints(0).getGlobalMinimum());
        assertEquals(2, response.getConstraints(0).getEligibleDomainCount());
        assertEquals(
                "node affinity/selector",
                response.getConstraints(0).getDomains(2).getIneligibilities(0).getMessage());
    }

    @Test
    void zoneShutOutByAffinity_isAdvisedToBeHonored_whenItHoldsTheMinimumUnderIgnore() {
        ExplainResponse response =
                zones(2, 1, 0).pod(webManifest(notInZ3(), hard(ZONE) + ", nodeAffinityPolicy: Ignore"));
        assertEquals(
                "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 " + SPREAD + ".",
                response.getSummary());
        assertEquals("0 1 would-do 0/1", domains(response).get("z3"));
        assertEquals(
                Map.of(
                        "tsc[0].nodeAffinityPolicy",
                        "The global minimum is 0 because of z3, which the pod cannot enter. With nodeAffinityPolicy: Honor, 1"
                                + " node would pass what is judged."),
                advice(response));
    }

    @Test
    void taintedZone_isAdvisedToBeHonored_whenItHoldsTheMinimum() {
        ExplainResponse level = thirdZoneTainted(1, 1, 0).web(hard(ZONE));
        assertEquals(
                "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 " + SPREAD + ".", level.getSummary());
        assertEquals(
                Map.of(
                        "tsc[0].nodeTaintsPolicy",
                        "The global minimum is 0 because of z3, which the pod cannot enter. With nodeTaintsPolicy: Honor, 2"
                                + " nodes would pass what is judged."),
                advice(level));
        assertEquals(
                "taint full:NoSchedule",
                level.getConstraints(0).getDomains(0).getExclusions(0).getMessage());
        assertEquals(
                Map.of(
                        "tsc[0].nodeTaintsPolicy",
                        "The global minimum is 0 because of z3, which the pod cannot enter. With nodeTaintsPolicy: Honor, 1"
                                + " node would pass what is judged."),
                advice(thirdZoneTainted(2, 1, 0).web(hard(ZONE))));
    }

    @Test
    void taintedZone_isNoReasonForAdvice_whileItsCountHoldsNothingUp() {
        assertEquals(Map.of(), advice(thirdZoneTainted(1, 1, 1).web(hard(ZONE))));
        assertEquals(Map.of(), advice(thirdZoneTainted(2, 1, 1).web(hard(ZONE))));
        assertEquals(Map.of(), advice(thirdZoneTainted(1, 1, 0).web(hard(ZONE) + ", nodeTaintsPolicy: Honor")));
    }

    @Test
    void softConstraints_scoreAndTakeNothingOut() {
        ExplainResponse response = thirdZoneTainted(2, 1, 0).web(soft(ZONE));
        assertEquals("2/3 nodes are available; the others: 1 node(s) had untolerated taint(s).", response.getSummary());
        assertEquals(
                List.of("z2", "z1", "z3"),
                response.getVerdictsList().stream()
                        .map(NodeExplanation::getName)
                        .toList());
        assertTrue(response.getVerdicts(0).getScore() > response.getVerdicts(1).getScore());
        // Two zones remain to be scored.
        assertEquals(Math.log(4), response.getConstraints(0).getWeight());
        assertEquals(Map.of(), advice(response));
    }

    @Test
    void bothPolicies_areAdvised_whenNeitherAloneHelps() {
        Explained pools = new Explained()
                .node("a", Map.of(ZONE, "z1", "pool", "web"), false)
                .node("b", Map.of(ZONE, "z2", "pool", "web"), false)
                .node("c", Map.of(ZONE, "z3"), false)
                .node("d", Map.of(ZONE, "z3", "pool", "web"), false, FULL)
                .pods(1, "a", WEB)
                .pods(1, "b", WEB);
        ExplainResponse both =
                pools.pod(webManifest("  nodeSelector: {pool: web}\n", hard(ZONE) + ", nodeAffinityPolicy: Ignore"));
        assertEquals(
                Map.of(
                        "tsc[0].nodeTaintsPolicy",
                        "The global minimum is 0 because of z3, which the pod cannot enter. With nodeAffinityPolicy: Honor and"
                                + " nodeTaintsPolicy: Honor, 2 nodes would pass what is judged."),
                advice(both));
    }

    @Test
    void policy_isAdvisedForTwoConstraintsTogether_whenOneAloneDoesNotHelp() {
        ExplainResponse response = thirdZoneTainted(1, 1, 0).web(hard(ZONE), hard(HOSTNAME));
        Map<String, String> advice = advice(response);
        assertEquals(List.of("tsc[0].nodeTaintsPolicy", "tsc[1].nodeTaintsPolicy"), List.copyOf(advice.keySet()));
        advice.values()
                .forEach(message -> assertTrue(
                        message.endsWith("With nodeTaintsPolicy: Honor in [0] topology.kubernetes.io/zone and [1]"
                                + " kubernetes.io/hostname, 2 nodes would pass what is judged."),
                        message));
    }

    @Test
    void revisionKey_isAdvised_whenPodsOfAnotherRevisionCount_unlessItStrandsTheNextReplica() {
        Map<String, String> old = Map.of("app", "web", "pod-template-hash", "old");
        Map<String, String> fresh = Map.of("app", "web", "pod-template-hash", "new");
        String pod = webManifest("", hard(ZONE))
                .replace("name: web-1, labels: {app: web}", "labels: {app: web, pod-template-hash: new}");
        Explained cluster = new Explained()
                .node("a", "A")
                .node("b", "B")
                .pods(1, "a", old)
                .pods(1, "b", old)
                .pods(1, "b", fresh);
        Map<String, String> advice = advice(cluster.pod(pod));
        assertEquals("[tsc[0].matchLabelKeys]", advice.keySet().toString());
        assertTrue(advice.toString().contains("1 node would pass what is judged."), advice.toString());

        // The empty zone is cordoned, so its count stays at the minimum.
        cluster.node("c", Map.of(ZONE, "C", HOSTNAME, "c"), true);
        assertEquals(0, cluster.pod(pod).getPassedCount());
        assertEquals(Map.of(), advice(cluster.pod(pod)));
    }

    @Test
    void advice_reportsSelectorsThatCountNothingOrNotThePod() {
        String pod = """
                kind: Pod
                metadata: {namespace: shop, labels: {app: web, tier: front}}
                spec:
                  topologySpreadConstraints:
                  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
                  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}
                  - maxSkew: 1
                    topologyKey: kubernetes.io/hostname
                    whenUnsatisfiable: DoNotSchedule
                    labelSelector:
                      matchLabels: {app: wbe, tier: front}
                      matchExpressions: [{key: track, operator: Exists}]
                """;
        ExplainResponse response = zones(1, 0).pod(pod);
        assertEquals(
                Map.of(
                        "tsc[0].labelSelector",
                        "There is none, so the constraint counts no pods and excludes no node that has the label"
                                + " topology.kubernetes.io/zone.",
                        "tsc[1].labelSelector",
                        "An empty selector matches no pods here, not all pods, so the constraint counts nothing and scores all"
                                + " nodes that have the label topology.kubernetes.io/zone equally.",
                        "tsc[2].labelSelector",
                        "It does not match the pod's own labels, so placing the pod changes no count and such pods"
                                + " are not spread: app=wbe is required, the pod has app=web; track is required, the pod has no"
                                + " label track."),
                advice(response));
        assertEquals(
                List.of("<none>", "<empty>", "app=wbe,tier=front,track"),
                response.getConstraintsList().stream()
                        .map(ConstraintExplanation::getEffectiveSelector)
                        .toList());
        assertFalse(response.getConstraints(2).getSelfMatch());
        assertTrue(response.getConstraints(1).getSelfMatch());
    }

    @Test
    void advice_reportsTopologyKeysThatNoNodeCarries() {
        Explained cluster = zones(1, 0);
        assertEquals(
                "No node has this label, so none passes. Did you mean topology.kubernetes.io/zone, which 2 nodes have?",
                advice(cluster.web(hard("failure-domain.beta.kubernetes.io/zone")))
                        .get("tsc[0].topologyKey"));
        assertEquals(
                "No node has this label, so scoring ignores every node. Did you mean kubernetes.io/hostname, which 2 nodes have?",
                advice(cluster.web(soft("kubernetes.io/hostnmae"))).get("tsc[0].topologyKey"));
        assertEquals(
                "No node has this label, so none passes.",
                advice(cluster.web(hard("topology.kubernetes.io/datacentre"))).get("tsc[0].topologyKey"));
        assertEquals(
                "No node has this label, so none passes.",
                advice(cluster.web(hard("example.com/building"))).get("tsc[0].topologyKey"));
        assertEquals(Map.of(), advice(new Explained().web(hard(ZONE))));
    }

    @Test
    void advice_reportsTopologyKeysThatOnlyOtherNodesCarry() {
        ExplainResponse response = zones(1).node("z1", Map.of(ZONE, "z1", "rack", "r1"), true)
                .node("open", Map.of(ZONE, "z2"), false)
                .web(hard("rack"));
        assertEquals(
                Map.of(
                        "tsc[0].topologyKey",
                        "None of the nodes that the pod can enter (1) has this label; 1 node has it but cannot be entered."),
                advice(response));
    }

    @Test
    void advice_reportsWhatDoesNothing() {
        ExplainResponse response =
                zones(1, 0).web(soft(ZONE) + ", minDomains: 2, matchLabelKeys: [ap, pod-template-hash]", soft(ZONE));
        assertEquals(
                Map.of(
                        "tsc[0].minDomains",
                        "It has no effect with ScheduleAnyway, and the API server rejects this combination.",
                        "tsc[0].matchLabelKeys[0]",
                        "The pod has no label ap, so the key is ignored.",
                        "tsc[0].matchLabelKeys[1]",
                        "The pod has no label pod-template-hash, so the key is ignored. Controllers add it to their pods, but"
                                + " this pod has no controller.",
                        "tsc[1]",
                        "It repeats the topologyKey and whenUnsatisfiable of [0] topology.kubernetes.io/zone, which the API"
                                + " server rejects."),
                advice(response));
    }

    @Test
    void labelThatAControllerWillGive_isNoMistakeInATemplatesPod() {
        String manifest = webManifest("", soft(ZONE) + ", matchLabelKeys: [ap, pod-template-hash]");
        assertEquals(
                Map.of("tsc[0].matchLabelKeys[0]", "The pod has no label ap, so the key is ignored."),
                advice(zones(1, 0).pod(manifest.replace("name: web-1, ", ""))));
    }

    @Test
    void advice_reportsNodeSelectorsThatNoNodeMeets() {
        ExplainResponse response = zones(1, 0)
                .pod(webManifest("  nodeSelector: {topology.kubernetes.io/zone: z9, gpu: 'yes'}\n", hard(ZONE)));
        assertEquals(
                "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.", response.getSummary());
        assertEquals(
                Map.of(
                        "spec.nodeSelector[gpu]", "No node has this label.",
                        "spec.nodeSelector[topology.kubernetes.io/zone]",
                                "No node has topology.kubernetes.io/zone=z9; nodes have z1, z2."),
                advice(response));
        assertEquals(0, response.getEnteredCount());
    }

    @Test
    void placedPod_isJudgedAsIfItWereNotThere() {
        Explained cluster = zones(2, 1);
        ExplainResponse response = cluster.pod(
                webManifest("", hard(ZONE)),
                NodeSubset.ALL,
                EntryRules.ENTERABLE,
                SpreadDefaults.NONE,
                PodKey.ofUid("pod-2"));
        assertTrue(response.getPlaced());
        assertEquals("2/2 nodes are available.", response.getSummary());
        assertEquals(Map.of("z1", "1 1 would-do 1/1", "z2", "1 1 would-do 1/1"), domains(response));
    }

    @Test
    void entry_isNotJudged_whenCandidatesAreNamed() {
        Explained cluster = thirdZoneTainted(1, 1, 0);
        ExplainResponse response = cluster.pod(
                webManifest("", hard(ZONE)),
                NodeSubset.named(List.of("z3", "z1", "z9")),
                EntryRules.NONE,
                SpreadDefaults.NONE,
                null);
        assertEquals(
                "1/2 nodes are available; the others: 1 " + SPREAD + ". Unknown candidates: 1.", response.getSummary());
        assertEquals(List.of("z9"), response.getUnknownCandidatesList());
        assertTrue(response.getUnjudgedRulesList()
                .containsAll(List.of("taints", "cordons", "node affinity", "resources")));
        assertFalse(cluster.web(hard(ZONE)).getUnjudgedRulesList().contains("taints"));
    }

    @Test
    void detail_givesTheFigures() {
        ExplainResponse response = zones(2, 1)
                .node("bare", Map.of(), false)
                .node("cordoned", Map.of(ZONE, "z2"), true)
                .web(hard(ZONE));
        Map<String, String> details = Map.of(
                "z1", "[0] topology.kubernetes.io/zone z1: 2 + 1 - 1 = 2 > maxSkew 1",
                "z2", "",
                "bare", "[0] no label topology.kubernetes.io/zone",
                "cordoned", "cordoned");
        for (NodeExplanation node : response.getVerdictsList()) {
            assertEquals(details.get(node.getName()), node.getDetail());
            assertEquals(node.getName().equals("z1") || node.getName().equals("bare"), node.hasConstraintIndex());
            assertEquals(!node.getName().equals("bare"), node.getDomains(0).hasValue());
        }
    }

    @Test
    void defaults_areExplainedWithTheSelectorOfTheOwners() {
        String pod = "kind: Pod\nmetadata: {namespace: shop, labels: {app: web}}\nspec: {}\n";
        Explained cluster = zones(2, 1);
        ExplainResponse unowned = cluster.pod(pod, NodeSubset.ALL, EntryRules.ENTERABLE, SpreadDefaults.SYSTEM, null);
        assertTrue(unowned.getDefaulted());
        assertEquals(0, unowned.getConstraintsCount());

        cluster.owner(new OwnerObject(ObjectKind.SERVICE, "shop", "web", "service", 1, PodSelector.ofLabels(WEB)));
        ExplainResponse owned = cluster.pod(pod, NodeSubset.ALL, EntryRules.ENTERABLE, SpreadDefaults.SYSTEM, null);
        assertEquals(2, owned.getConstraintsCount());
        assertEquals("app=web", owned.getConstraints(1).getEffectiveSelector());
        assertEquals(5, owned.getConstraints(1).getConstraint().getMaxSkew());
        assertEquals("ScheduleAnyway", owned.getConstraints(1).getConstraint().getWhenUnsatisfiable());
        assertEquals(Map.of(), advice(owned));
    }

    @Test
    void adviceByASelectorOfTheCaller_isThatByTheOwners() {
        String pod = "kind: Pod\nmetadata: {namespace: shop, labels: {app: web}}\nspec: {}\n";
        SpreadDefaults defaults =
                SpreadDefaults.list(List.of(new SpreadConstraint(1, ZONE, true, null, List.of(), 0, true, false)));
        PodSelector selector = PodSelector.ofLabels(WEB);
        Explained cluster = thirdZoneTainted(5, 1, 0);
        Map<String, String> given = advice(
                cluster.pod(pod, NodeSubset.ALL, EntryRules.ENTERABLE, defaults.withOwnersSelector(selector), null));
        cluster.owner(new OwnerObject(ObjectKind.SERVICE, "shop", "web", "service", 1, selector));
        Map<String, String> owned = advice(cluster.pod(pod, NodeSubset.ALL, EntryRules.ENTERABLE, defaults, null));
        assertEquals(owned, given);
        assertEquals(
                "The global minimum is 0 because of z3, which the pod cannot enter. With nodeTaintsPolicy: Honor, 1"
                        + " node would pass what is judged.",
                given.values().iterator().next());
    }

    private static Explained thirdZoneTainted(int first, int second, int third) {
        return zones(first, second, third).node("z3", "z3", FULL);
    }

    private static String notInZ3() {
        return """
                  affinity:
                    nodeAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                        nodeSelectorTerms:
                        - matchExpressions: [{key: topology.kubernetes.io/zone, operator: NotIn, values: [z3]}]
                """;
    }
}
