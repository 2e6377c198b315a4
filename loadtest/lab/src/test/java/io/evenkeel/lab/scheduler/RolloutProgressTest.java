package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class RolloutProgressTest {
    private static final String DEPLOYMENT = """
            {"metadata": {"namespace": "shop", "name": "web", "uid": "d1", "labels": {"app": "web"}},
             "spec": {"replicas": 2, "template": {"metadata": {"annotations": {"revision": "two"}}}}}
            """;
    private static final String SETS =
            "[" + set("d1", "one", "h1") + "," + set("d2", "two", "h9") + "," + set("d1", "two", "h2") + "]";

    private static String set(String owner, String revision, String hash) {
        return """
                {"metadata": {"ownerReferences": [{"uid": "%s"}], "labels": {"pod-template-hash": "%s"}},
                 "spec": {"template": {"metadata": {"annotations": {"revision": "%s"}}}}}
                """.formatted(owner, hash, revision);
    }

    private static String pod(String app, String hash, String ready, String more) {
        return """
                {"metadata": {"namespace": "shop", "labels": {"app": "%s", "pod-template-hash": "%s"}%s},
                 "status": {"conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "%s"}]}}
                """.formatted(app, hash, more, ready);
    }

    private static RolloutProgress rollout(String sets, String... pods) throws IOException {
        ObjectMapper json = new ObjectMapper();
        JsonNode all = json.readTree("[" + String.join(",", pods) + "]");
        return RolloutProgress.of(json.readTree(DEPLOYMENT), json.readTree(sets), all);
    }

    @Test
    void podsOfTheNewestTemplate_countWhenTheyAreReady() throws IOException {
        String current = pod("web", "h2", "True", "");
        RolloutProgress complete = rollout(SETS, current, current, pod("other", "h1", "True", ""));
        assertEquals(new RolloutProgress("shop/web", 2, 2, "h2", 2, 0, ""), complete);
        assertTrue(complete.isComplete());
    }

    @Test
    void oldPods_andThoseThatAreNotReadyOrTerminate_areOthers() throws IOException {
        RolloutProgress begun = rollout(
                SETS,
                pod("web", "h2", "True", ""),
                pod("web", "h1", "True", ""),
                pod("web", "h2", "False", ""),
                pod("web", "h2", "True", ", \"deletionTimestamp\": \"2026-01-01T00:00:00Z\""));
        assertEquals(new RolloutProgress("shop/web", 2, 2, "h2", 1, 3, ""), begun);
        assertFalse(begun.isComplete());
    }

    @Test
    void nothingIsReady_beforeTheNewestTemplateHasAReplicaSet() throws IOException {
        String old = pod("web", "h1", "True", "");
        RolloutProgress asked = rollout("[" + set("d1", "one", "h1") + "]", old, old);
        assertEquals(new RolloutProgress("shop/web", 2, 1, "", 0, 2, ""), asked);
    }

    @Test
    void whatTheSchedulerSaysOfAPodWithoutANode_isReported() throws IOException {
        String waiting = """
                {"metadata": {"namespace": "shop", "labels": {"app": "web", "pod-template-hash": "h2"}},
                 "status": {"conditions": [{"type": "PodScheduled", "status": "False", "message": "0/9 nodes"}]}}
                """;
        RolloutProgress stuck = rollout(SETS, pod("web", "h1", "True", ""), waiting, waiting);
        assertEquals(new RolloutProgress("shop/web", 2, 2, "h2", 0, 3, "0/9 nodes"), stuck);
    }
}
