package io.evenkeel.placement.explain;

import static io.evenkeel.placement.Explained.ZONE;
import static io.evenkeel.placement.Explained.hard;
import static io.evenkeel.placement.Explained.webManifest;
import static io.evenkeel.placement.Explained.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.placement.Explained;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that messages equal those of kube-scheduler's FitError. */
final class FitSummaryTest {
    @Test
    void reasons_areSortedAsText_withTheirCounts() {
        Explained cluster = new Explained();
        for (int i = 0; i < 11; i++) {
            cluster.node("full-" + i, Map.of(ZONE, "z"), false, new NodeTaint("full", "", "NoSchedule"));
        }
        cluster.node("bare", Map.of(), false).node("other", Map.of(), false).node("cordoned", Map.of(), true);
        assertEquals(
                "0/14 nodes are available: 1 node(s) were unschedulable, 11 node(s) had untolerated taint(s), 2 node(s)"
                        + " didn't match pod topology spread constraints (missing required label).",
                cluster.web(hard(ZONE)).getSummary());
    }

    @Test
    void clusterWithoutNodes_hasItsOwnSentence() {
        assertEquals(
                "no nodes available to schedule pods",
                new Explained().web(hard(ZONE)).getSummary());
    }

    @Test
    void everyNodeAvailable_hasNoOthers() {
        assertEquals("2/2 nodes are available.", zones(0, 0).web(hard(ZONE)).getSummary());
    }

    @Test
    void nodesThatThePodIsNotPinnedTo_areLeftToThePlugin() {
        Explained cluster = zones(2, 0, 0).node("z2", Map.of(ZONE, "z2"), true);
        assertEquals(
                "0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, 2 node(s) didn't satisfy"
                        + " plugin(s) [NodeAffinity].",
                cluster.pod(
                                webManifest(pinned("[z1]"), hard(ZONE) + ", nodeAffinityPolicy: Ignore"),
                                EntryRules.FITTING)
                        .getSummary());
        assertEquals(
                "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity].",
                cluster.pod(webManifest(pinned("[gone]"), hard(ZONE)), EntryRules.FITTING)
                        .getSummary());
    }

    @Test
    void namesThatExcludeEachOther_areAConflict() {
        assertEquals(
                "0/2 nodes are available: pod affinity terms conflict.",
                zones(0, 0)
                        .pod(
                                webManifest(
                                        pinned("[z1]}, {key: metadata.name, operator: In, values: [z2]"), hard(ZONE)),
                                EntryRules.FITTING)
                        .getSummary());
    }

    private static String pinned(String names) {
        return """
                  affinity:
                    nodeAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                        nodeSelectorTerms:
                        - matchFields: [{key: metadata.name, operator: In, values: %s}]
                """.formatted(names);
    }
}
