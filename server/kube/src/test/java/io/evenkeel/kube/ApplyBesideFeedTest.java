package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that Apply does not make a kind ready before the API server lists it, and that the API server's state replaces
 * what Apply has changed.
 */
@Timeout(60)
final class ApplyBesideFeedTest {
    @TempDir
    Path directory;

    @Test
    void apply_makesNoKindReady_whoseListIsForbidden() throws Exception {
        ScriptedApiServer server = ScriptedApiServer.start();
        for (ObjectKind kind : ObjectKind.ALL) {
            server.put(kind, KubeWorld.uid(kind, 1), KubeWorld.object(kind, 1, 1, server.nextVersion()));
        }
        // More often than it is tried during the test.
        for (int i = 0; i < 10_000; i++) {
            server.refuse(ObjectKind.STATEFUL_SET, new ScriptedApiServer.Refusal(403, "", null));
        }
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitProblem(ObjectKind.STATEFUL_SET, "grant get, list and watch on statefulsets");
            Await.until(
                    () -> followed.instance.clusterState().feed(ObjectKind.POD).obstacle() == null);
            apply(followed.instance, "late");
            assertFalse(followed.status().getReady());
            assertEquals(
                    "not received yet",
                    followed.instance
                            .clusterState()
                            .feed(ObjectKind.STATEFUL_SET)
                            .obstacle());
        }
    }

    @Test
    void queries_areAnswered_thoughTheListOfBudgetsIsForbidden() throws Exception {
        ScriptedApiServer server = ScriptedApiServer.start();
        // More often than it is tried during the test.
        for (int i = 0; i < 10_000; i++) {
            server.refuse(ObjectKind.POD_DISRUPTION_BUDGET, new ScriptedApiServer.Refusal(403, "", null));
        }
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitProblem(
                    ObjectKind.POD_DISRUPTION_BUDGET, "grant get, list and watch on poddisruptionbudgets");
            Await.until(() -> followed.status().getReady());
            assertFalse(followed.status()
                    .getKinds(ObjectKind.POD_DISRUPTION_BUDGET.ordinal())
                    .getReady());
        }
    }

    /** No snapshot ever began. */
    @Test
    void apply_makesNoKindReady_ifTheServerWasNeverReached() throws Exception {
        ScriptedApiServer none = ScriptedApiServer.start();
        ClusterAccess access = ClusterAccess.of(none.kubeconfig(directory, "", ""), null);
        none.close();
        try (FollowedServer followed = new FollowedServer(none, access)) {
            apply(followed.instance, "first");
            assertFalse(followed.status().getReady());
            followed.awaitProblem(ObjectKind.POD, "no connection");
            apply(followed.instance, "second");
            assertFalse(followed.status().getReady());
        }
    }

    /** It arrived when the server was already listening, but before the feed began. */
    @Test
    void stateOfApplyAlone_isNotReady_onceTheFeedBegins() throws Exception {
        ScriptedApiServer none = ScriptedApiServer.start();
        none.close();
        Instance instance = new Instance(InstanceOptions.standard());
        apply(instance, "early");
        assertTrue(instance.clusterState().isReady());
        try (FollowedServer followed = FollowedServer.follow(none, directory, instance)) {
            assertFalse(followed.status().getReady());
        }
    }

    @Test
    void versionOfNodes_returnsWithAList_afterApplyAddedAndDeletedNodes() throws Exception {
        ScriptedApiServer server = ScriptedApiServer.start();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.put(ObjectKind.NODE, 1, 1);
            followed.awaitAll();
            assertTrue(followed.state(ObjectKind.NODE).version() > 0);
            for (ClusterEvent.Type type : List.of(ClusterEvent.Type.TYPE_ADDED, ClusterEvent.Type.TYPE_DELETED)) {
                for (int i = 0; i < 10; i++) {
                    apply(followed.instance, type, node("extra-" + i));
                }
            }
            KindStatus nodes = followed.status().getKinds(ObjectKind.NODE.ordinal());
            assertEquals("", nodes.getResourceVersion());
            assertTrue(nodes.getVersionObstacle().contains("changes"), nodes.getVersionObstacle());
            awaitVersionOfNodes(followed);
            assertEquals(
                    "", followed.status().getKinds(ObjectKind.NODE.ordinal()).getVersionObstacle());
            followed.assertHoldsWhatTheServerHas();
        }
    }

    @Test
    void nodesOfApply_goWithTheNextList() throws Exception {
        ScriptedApiServer server = ScriptedApiServer.start();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.put(ObjectKind.NODE, 1, 1);
            followed.awaitAll();
            apply(followed.instance, ClusterEvent.Type.TYPE_ADDED, node("extra"));
            awaitVersionOfNodes(followed);
            followed.assertHoldsWhatTheServerHas();
        }
    }

    /** Waits for a version, with an event every minute. */
    private static void awaitVersionOfNodes(FollowedServer followed) throws InterruptedException {
        for (int detail = 2; detail < 5; detail++) {
            followed.pass(Duration.ofMinutes(1));
            followed.put(ObjectKind.NODE, 1, detail);
            followed.awaitAll();
        }
        assertTrue(followed.state(ObjectKind.NODE).version() > 0);
    }

    private static void apply(Instance instance, String pod) {
        ObjectMeta metadata = ObjectMeta.newBuilder()
                .setNamespace("shop")
                .setName(pod)
                .setUid(pod)
                .build();
        apply(
                instance,
                ClusterEvent.Type.TYPE_ADDED,
                ClusterObject.newBuilder()
                        .setPod(Pod.newBuilder().setMetadata(metadata))
                        .build());
    }

    private static void apply(Instance instance, ClusterEvent.Type type, ClusterObject object) {
        assertEquals(
                1,
                instance.clusterState()
                        .apply(ApplyRequest.newBuilder()
                                .addEvents(
                                        ClusterEvent.newBuilder().setType(type).setObject(object))
                                .build())
                        .getAppliedCount());
    }

    private static ClusterObject node(String name) {
        return ClusterObject.newBuilder()
                .setNode(Node.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder().setName(name).setUid(name)))
                .build();
    }
}
