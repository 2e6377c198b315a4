package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.Pod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Follows a scripted API server that lists four pages of six objects, through faults of pages. */
@Timeout(120)
final class PagedFeedTest {
    private static final ScriptedApiServer.Refusal BUSY = new ScriptedApiServer.Refusal(503, "for a test", null);

    /** The resulting wait is the feed's longest. */
    private static final ScriptedApiServer.Refusal BUSY_FOR_LONG =
            new ScriptedApiServer.Refusal(429, "for a test", "45");

    private static final Duration LONGEST = Duration.ofSeconds(30);

    @TempDir
    private Path directory = Path.of("");

    private static ScriptedApiServer paged() throws Exception {
        ScriptedApiServer server = KubeFeedTest.filled();
        server.setStreamingLists(ScriptedApiServer.StreamingLists.REFUSED);
        server.setPageSize(6);
        return server;
    }

    /** How often a list of pods began. */
    private static long lists(ScriptedApiServer server) {
        return server.requests(ObjectKind.POD).stream()
                .filter(request -> request.endsWith("?limit=2000"))
                .count();
    }

    private static List<Integer> millis(FollowedServer followed) {
        return followed.waits.stream().map(wait -> (int) wait.toMillis()).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503, 504})
    void page_thatIsRefusedForNow_isAskedForAgain(int status) throws Exception {
        ScriptedApiServer server = paged();
        for (int i = 0; i < 5; i++) {
            server.refusePage(ObjectKind.POD, new ScriptedApiServer.Refusal(status, "for a test", null));
        }
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            followed.awaitProblem(ObjectKind.POD, "returned " + status + ": for a test");
            followed.assertHoldsWhatTheServerHas();
            assertEquals(1, lists(server));
            assertEquals(List.of(250, 500, 1000, 2000, 4000), millis(followed));
        }
    }

    @Test
    void list_comesToItsEnd_thoughEachPageFailsAtFirst() throws Exception {
        ScriptedApiServer server = paged();
        server.cutAfter(ObjectKind.POD, 1 << 20);
        for (int i = 0; i < 3; i++) {
            server.cutAfter(ObjectKind.POD, 60);
            server.cutAfter(ObjectKind.POD, 1 << 20);
        }
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            followed.awaitProblem(ObjectKind.POD, "no connection to");
            followed.assertHoldsWhatTheServerHas();
            assertEquals(1, lists(server));
            assertEquals(List.of(250, 250, 250), millis(followed), "each page begins with the first wait");
        }
    }

    @Test
    void list_beginsAgain_whenAPageFailsForLong() throws Exception {
        ScriptedApiServer server = paged();
        for (int i = 0; i < 6; i++) {
            server.refusePage(ObjectKind.POD, BUSY);
        }
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertEquals(2, lists(server));
            assertEquals(List.of(250, 500, 1000, 2000, 4000, 250), millis(followed));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404})
    void list_beginsAgain_whenAPageIsRefusedForGood(int status) throws Exception {
        ScriptedApiServer server = paged();
        server.refusePage(ObjectKind.POD, new ScriptedApiServer.Refusal(status, "for a test", null));
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertEquals(2, lists(server));
        }
    }

    @Test
    void list_comesInOnePiece_whenAPageIsTooOldOnceItIsAskedForAgain() throws Exception {
        ScriptedApiServer server = paged();
        server.refusePage(ObjectKind.POD, BUSY);
        server.refusePage(ObjectKind.POD, new ScriptedApiServer.Refusal(410, "too old", null));
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertEquals(1, lists(server));
            assertTrue(server.requests(ObjectKind.POD).contains("/api/v1/pods"));
        }
    }

    @Test
    void waitForAPage_isAsLongAsTheServerAsksFor_upToTheLongest() throws Exception {
        ScriptedApiServer server = paged();
        server.refusePage(ObjectKind.POD, new ScriptedApiServer.Refusal(429, "for a test", "7"));
        server.refusePage(ObjectKind.POD, BUSY_FOR_LONG);
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            assertEquals(List.of(Duration.ofSeconds(7), LONGEST), followed.waits);
        }
    }

    /** Forces a new list of pods, and waits until the feed waits for the second page. That wait does not end. */
    private static void awaitHeldPage(FollowedServer followed) throws InterruptedException {
        followed.awaitAll();
        Await.until(() -> followed.server.openWatches() == ObjectKind.ALL.size());
        followed.holdWaits(LONGEST);
        followed.server.refusePage(ObjectKind.POD, BUSY_FOR_LONG);
        followed.server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(410, "Expired", "gone")));
        Await.until(() -> followed.waits.contains(LONGEST));
    }

    @Test
    void takeover_endsTheWaitForAPage() throws Exception {
        Limits limits = Limits.builder().stalledAfter(Duration.ZERO).build();
        Instance instance = new Instance(InstanceOptions.standard().withLimits(limits));
        try (FollowedServer followed = FollowedServer.follow(paged(), directory, instance)) {
            awaitHeldPage(followed);
            try (SyncSession other = followed.instance.clusterState().sync()) {
                KubeFeedTest.takePods(other);
                followed.awaitProblem(ObjectKind.POD, "has taken over");
            }
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    @Test
    void close_endsTheWaitForAPage() throws Exception {
        try (FollowedServer followed = FollowedServer.follow(paged(), directory)) {
            awaitHeldPage(followed);
            followed.stopFeeding();
            assertTrue(followed.phases(ObjectKind.POD).contains(KindState.Phase.STOPPED));
        }
    }

    @Test
    void namespace_isReadOnce_thoughAPageIsCut() throws Exception {
        try (ScriptedApiServer server = paged();
                Instance instance = new Instance(InstanceOptions.standard())) {
            server.cutAfter(ObjectKind.POD, 1 << 20);
            server.cutAfter(ObjectKind.POD, 60);
            Set<String> pods = new HashSet<>();
            new NamespaceLister(ClusterAccess.of(server.kubeconfig(directory, "", ""), null), "shop", false)
                    .read(
                            instance.clusterState(),
                            object -> {
                                if (object instanceof Pod pod) {
                                    pods.add(pod.getMetadata().getUid());
                                }
                            },
                            refusal -> {});
            assertEquals(20, pods.size());
            assertEquals(
                    20,
                    instance.clusterState()
                            .getStatus(GetStatusRequest.getDefaultInstance())
                            .getPodCount());
            assertEquals(1, lists(server));
        }
    }
}
