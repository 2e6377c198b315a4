package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that Apply does not make a kind ready before the API server lists it. */
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
            FollowedServer.awaitUntil(
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

    private static void apply(Instance instance, String pod) {
        ObjectMeta metadata = ObjectMeta.newBuilder()
                .setNamespace("shop")
                .setName(pod)
                .setUid(pod)
                .build();
        assertEquals(
                1,
                instance.clusterState()
                        .apply(ApplyRequest.newBuilder()
                                .addEvents(ClusterEvent.newBuilder()
                                        .setType(ClusterEvent.Type.TYPE_ADDED)
                                        .setObject(ClusterObject.newBuilder()
                                                .setPod(Pod.newBuilder().setMetadata(metadata))))
                                .build())
                        .getAppliedCount());
    }
}
