package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.SmallInstances;
import io.evenkeel.placement.call.RecentQueries;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Follows a scripted API server through each fault. */
final class KubeFeedTest {
    private static final io.evenkeel.v1.ObjectKind PODS = io.evenkeel.v1.ObjectKind.OBJECT_KIND_POD;
    private static final String THREAD = "evenkeel-kube-";

    @TempDir
    private Path directory = Path.of("");

    static ScriptedApiServer filled() throws Exception {
        ScriptedApiServer server = ScriptedApiServer.start();
        for (ObjectKind kind : ObjectKind.ALL) {
            for (int i = 0; i < 20; i++) {
                server.put(kind, KubeWorld.uid(kind, i), KubeWorld.object(kind, i, i, server.nextVersion()));
            }
        }
        return server;
    }

    /** Begins a snapshot of pods, and takes them over from any feeder. */
    static void takePods(SyncSession other) {
        SyncResponse unused = other.handle(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder()
                        .setFeeder("other")
                        .addKinds(PODS)
                        .setTakeover(true))
                .build());
    }

    private static void change(FollowedServer followed) {
        for (ObjectKind kind : ObjectKind.ALL) {
            followed.put(kind, 3, 4);
            followed.put(kind, 30, 1);
            followed.delete(kind, 5);
        }
    }

    @Test
    void feed_listsAndFollowsEveryKind() throws Exception {
        try (FollowedServer followed = FollowedServer.follow(filled(), directory)) {
            followed.awaitAll();
            assertTrue(followed.status().getReady());
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertEquals(List.of(), followed.refusals);
            for (ObjectKind kind : ObjectKind.ALL) {
                assertEquals(
                        List.of(
                                KindState.Phase.CONNECTING,
                                KindState.Phase.LISTING,
                                KindState.Phase.WATCHING,
                                KindState.Phase.STOPPED),
                        followed.phases(kind));
                assertEquals(1, followed.server.requests(kind).size());
            }
        }
    }

    @Test
    @Timeout(60)
    void events_gatherWhileNoOneAsks_andComeAllTheSame() throws Exception {
        try (FollowedServer followed = FollowedServer.follow(filled(), directory)) {
            followed.awaitAll();
            int change = 0;
            while (!someoneRests()) {
                followed.put(ObjectKind.POD, 1, change++);
                Thread.sleep(1);
            }
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    private static boolean someoneRests() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(call -> call.getClassName().equals(RecentQueries.class.getName())
                        && call.getMethodName().equals("await"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64})
    void answers_areReadWhereverTheyAreSplit(int length) throws Exception {
        ScriptedApiServer server = filled();
        server.writeInPieces(left -> length);
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 50})
    void server_withoutStreamingLists_isListedInPages(int length) throws Exception {
        ScriptedApiServer server = filled();
        server.setStreamingLists(ScriptedApiServer.StreamingLists.REFUSED);
        server.setPageSize(6);
        server.writeInPieces(left -> length);
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertEquals(6, server.requests(ObjectKind.POD).size());
        }
    }

    /** API servers do this to readers that fall behind, so the same list might never complete. */
    @Test
    void streamingList_thatEndsInItsMidst_isFollowedByPages() throws Exception {
        ScriptedApiServer server = filled();
        server.setStreamingLists(ScriptedApiServer.StreamingLists.ENDED);
        server.setPageSize(6);
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertEquals(List.of(), followed.waits);
        }
    }

    /** A proxy may limit the duration of responses, so the same list would never complete. */
    @Test
    void streamingLists_thatAreCutAgainAndAgain_areFollowedByPages() throws Exception {
        ScriptedApiServer server = filled();
        server.setStreamingLists(ScriptedApiServer.StreamingLists.CUT);
        server.setPageSize(6);
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            change(followed);
            followed.awaitAll();
            assertEquals(2, streamingLists(server));
            // A later list is streamed again, because the cause may be gone.
            server.setStreamingLists(ScriptedApiServer.StreamingLists.SERVED);
            server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(410, "Expired", "gone")));
            Await.until(() -> streamingLists(server) == 3);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    /** The number of requests for streaming lists of pods. */
    private static long streamingLists(ScriptedApiServer server) {
        return server.requests(ObjectKind.POD).stream()
                .filter(request -> request.contains("sendInitialEvents"))
                .count();
    }

    @Test
    void list_beginsAgainInOnePiece_whenAPageIsTooOld() throws Exception {
        ScriptedApiServer server = filled();
        server.setStreamingLists(ScriptedApiServer.StreamingLists.REFUSED);
        server.setPageSize(6);
        server.expirePages(ObjectKind.ALL.size());
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertTrue(server.requests(ObjectKind.POD).contains("/api/v1/pods"));
            assertEquals(List.of(), followed.waits);
        }
    }

    /** An object that was on a page, but is gone when the list starts over, must not remain. */
    @Test
    void page_thatIsTooOld_leavesNothingOfTheListBefore() throws Exception {
        ScriptedApiServer server = filled();
        server.setStreamingLists(ScriptedApiServer.StreamingLists.REFUSED);
        server.setPageSize(6);
        server.expirePages(ObjectKind.ALL.size());
        server.cutAfter(ObjectKind.POD, 1 << 20);
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            followed.delete(ObjectKind.POD, 0);
            server.expirePages(ObjectKind.ALL.size());
            server.compact(ObjectKind.POD);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    @Test
    void watch_continuesFromItsLastVersion_whenTheConnectionIsCutWithinAFrame() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            // The next watch ends within its second event. Before that watch, the server is asked for its version.
            server.cutAfter(ObjectKind.POD, 1 << 20);
            server.cutAfter(ObjectKind.POD, 200);
            server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(500, "", "cut here")));
            followed.awaitProblem(ObjectKind.POD, "cut here");
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertEquals(1, server.requests(ObjectKind.NODE).size());
            assertEquals(
                    1,
                    server.requests(ObjectKind.POD).stream()
                            .filter(request -> request.contains("sendInitialEvents"))
                            .count());
        }
    }

    @Test
    void list_beginsAgain_whenTheConnectionIsCutWithinIt() throws Exception {
        ScriptedApiServer server = filled();
        server.cutAfter(ObjectKind.POD, 700);
        server.cutAfter(ObjectKind.POD, 3);
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertEquals(2, followed.waits.size());
        }
    }

    @Test
    void compactedHistory_listsThatKindAlone_andAppliesDifferences() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            long before = followed.status().getRevision().getCounter();
            server.putUnseen(ObjectKind.POD, KubeWorld.uid(ObjectKind.POD, 3), null);
            server.putUnseen(
                    ObjectKind.POD,
                    KubeWorld.uid(ObjectKind.POD, 4),
                    KubeWorld.object(ObjectKind.POD, 4, 5, server.nextVersion()));
            followed.awaitAll();
            // Two objects differ, and the begin of the snapshot is another change.
            assertTrue(followed.status().getRevision().getCounter() - before <= 4);
            followed.assertHoldsWhatTheServerHas();
            assertEquals(1, server.requests(ObjectKind.NODE).size());
        }
    }

    @Test
    void watch_thatIsTooOldAtItsStart_leadsToAList() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            server.refuse(ObjectKind.POD, new ScriptedApiServer.Refusal(410, "too old", null));
            server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(500, "", "cut here")));
            followed.awaitProblem(ObjectKind.POD, "returned 410");
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404, 429, 500, 503})
    void refusals_areReported_andTheStateKeepsAnswering(int status) throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            String retryAfter = status == 429 ? "45" : null;
            for (int i = 0; i < 3; i++) {
                server.refuse(ObjectKind.POD, new ScriptedApiServer.Refusal(status, "for a test", retryAfter));
            }
            // After 401 the client repeats the request with reloaded credentials.
            server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(500, "", "cut here")));
            followed.awaitProblem(ObjectKind.POD, "returned " + status + ": for a test");
            assertTrue(followed.status().getReady());
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            if (status == 429) {
                assertTrue(followed.waits.contains(Duration.ofSeconds(45)));
            }
            Set<ObjectKind> disturbed = followed.states.stream()
                    .filter(state -> state.problem() != null)
                    .map(KindState::kind)
                    .collect(Collectors.toSet());
            assertEquals(Set.of(ObjectKind.POD), disturbed);
            assertEquals(
                    1,
                    followed.states.stream()
                            .filter(state -> state.phase() == KindState.Phase.WAITING
                                    && String.valueOf(state.problem()).contains("for a test"))
                            .map(KindState::problem)
                            .distinct()
                            .count());
        }
    }

    @Test
    void feedThatIsDown_isNoFeed_inTheStatus() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            assertTrue(followed.fed(ObjectKind.POD));
            for (int i = 0; i < 1_000; i++) {
                server.refuse(ObjectKind.POD, new ScriptedApiServer.Refusal(500, "", null));
            }
            server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(500, "", "cut here")));
            Await.until(() -> !followed.fed(ObjectKind.POD));
            assertTrue(followed.fed(ObjectKind.NODE));
            KindStatus pods = followed.status().getKinds(ObjectKind.POD.ordinal());
            assertFalse(pods.hasFeedingSince());
            assertEquals(KubeFeed.FEEDER, pods.getFeeder());
            server.heal();
            followed.awaitAll();
            // Events are applied just before the feed is reported.
            Await.until(() -> followed.fed(ObjectKind.POD));
        }
    }

    /** An API server whose etcd does not report progress has no bookmarks unless it is asked. */
    @Test
    void kindInWhichNothingHappens_getsBookmarks_becauseItIsAskedFor() throws Exception {
        ScriptedApiServer server = filled();
        server.bookmarkWhereAsked();
        ClusterAccess access = ClusterAccess.of(server.kubeconfig(directory, "", ""), null);
        try (FollowedServer followed = new FollowedServer(server, access, null, Duration.ofMillis(40))) {
            Await.until(() -> followed.status().getReady());
            long later = server.nextVersion();
            followed.put(ObjectKind.NODE, 3, 4);
            Await.until(() -> followed.heldVersion(ObjectKind.POD) >= later);
            assertNotNull(followed.state(ObjectKind.POD).received().bookmarkAt());
        }
    }

    /** A request that is never answered, for example on a dead connection, does not block other kinds. */
    @Test
    void kindInWhichNothingHappens_isAskedFor_whileAnotherDoesNotAnswer() throws Exception {
        ScriptedApiServer server = filled();
        server.bookmarkWhereAsked();
        ClusterAccess access = ClusterAccess.of(server.kubeconfig(directory, "", ""), null);
        try (FollowedServer followed = new FollowedServer(server, access, null, Duration.ofMillis(40))) {
            Await.until(() -> followed.status().getReady());
            for (ObjectKind kind : ObjectKind.ALL) {
                server.setSilent(kind, kind != ObjectKind.STATEFUL_SET);
            }
            long later = server.nextVersion();
            followed.put(ObjectKind.NODE, 3, 4);
            Await.until(() -> followed.heldVersion(ObjectKind.STATEFUL_SET) >= later);
        }
    }

    /**
     * Schedulers require the version, because it identifies the state exactly. So the feed must report it again without
     * a broken connection.
     */
    @Test
    void stateThatHadNoRoom_isListedAgain_untilItLacksNothing() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory, SmallInstances.ofHosts(20))) {
            followed.awaitAll();
            followed.put(ObjectKind.NODE, 30, 1);
            followed.awaitAll();
            assertEquals(1, followed.refusals.size());
            assertEquals(0, followed.state(ObjectKind.NODE).version());
            int lists = server.requests(ObjectKind.NODE).size();
            // Nothing is listed immediately, or more often than it can help.
            followed.awaitAll();
            assertEquals(lists, server.requests(ObjectKind.NODE).size());
            followed.pass(Duration.ofSeconds(30));
            followed.awaitAll();
            Await.until(() -> followed.refusals.size() == 2);
            assertEquals(0, followed.state(ObjectKind.NODE).version());
            // This one has no pods.
            followed.delete(ObjectKind.NODE, 15);
            followed.awaitAll();
            assertEquals(0, followed.state(ObjectKind.NODE).version());
            followed.pass(Duration.ofSeconds(60));
            Await.until(() -> {
                server.bookmark();
                return followed.state(ObjectKind.NODE).version() > 0;
            });
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertEquals(2, followed.refusals.size());
            assertEquals(1, server.requests(ObjectKind.POD).size());
            assertEquals(List.of(), followed.waits);
        }
    }

    @Test
    void stateThatHadNoRoom_isListedAgain_thoughTheClockIsSetBack() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory, SmallInstances.ofHosts(20))) {
            followed.awaitAll();
            followed.put(ObjectKind.NODE, 30, 1);
            followed.awaitAll();
            assertEquals(1, followed.refusals.size());
            // With the next event, the wait has begun for certain.
            followed.awaitAll();
            followed.setClockBack(Duration.ofHours(3));
            followed.pass(Duration.ofSeconds(30));
            followed.awaitAll();
            Await.until(() -> followed.refusals.size() == 2);
        }
    }

    @Test
    void forbidden_saysWhatToGrant() throws Exception {
        ScriptedApiServer server = filled();
        server.refuse(ObjectKind.REPLICA_SET, new ScriptedApiServer.Refusal(403, "", null));
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitProblem(
                    ObjectKind.REPLICA_SET, "grant get, list and watch on replicasets with a ClusterRole");
            followed.awaitAll();
        }
    }

    @Test
    void malformedFrame_leadsToAList() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            for (byte[] wrong : List.of(
                    ByteBuffer.allocate(4).putInt(-1).array(),
                    ByteBuffer.allocate(4).putInt(0).array(),
                    ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).array(),
                    ByteBuffer.allocate(6)
                            .putInt(2)
                            .put(new byte[] {0x0A, 0x7F})
                            .array(),
                    Frames.frame("MOVED", "Pod", KubeWorld.object(ObjectKind.POD, 1, 1, 1)),
                    Frames.frame("ADDED", "Pod", new byte[0]),
                    Frames.frame("ADDED", "Pod", new byte[] {0x0A, 0x7F}))) {
                followed.awaitAll();
                int before = server.requests(ObjectKind.POD).size();
                server.inject(ObjectKind.POD, wrong);
                Await.until(() -> server.requests(ObjectKind.POD).size() > before);
                change(followed);
                followed.awaitAll();
            }
            assertTrue(server.requests(ObjectKind.POD).stream()
                    .allMatch(request -> request.contains("sendInitialEvents")));
            followed.awaitProblem(ObjectKind.POD, "unknown type MOVED");
            followed.assertHoldsWhatTheServerHas();
        }
    }

    /** While it is in the list, each list rejects it again. */
    @ParameterizedTest
    @EnumSource(
            value = ScriptedApiServer.StreamingLists.class,
            names = {"SERVED", "REFUSED"})
    void malformedObjectOfAList_isRefusedAlone(ScriptedApiServer.StreamingLists streamingLists) throws Exception {
        ScriptedApiServer server = filled();
        server.setStreamingLists(streamingLists);
        byte[] good = KubeWorld.object(ObjectKind.POD, 40, 1, server.nextVersion());
        byte[] bad = Arrays.copyOf(good, good.length + 1);
        bad[good.length] = 0x12;
        server.put(ObjectKind.POD, KubeWorld.uid(ObjectKind.POD, 40), bad);
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            assertEquals(1, followed.refusals.size());
            assertTrue(followed.refusals.get(0).getError().getMessage().contains("kind POD is not valid protobuf"));
            assertEquals(20, followed.status().getPodCount());
            server.delete(ObjectKind.POD, KubeWorld.uid(ObjectKind.POD, 40), good);
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    /** An object that is not valid protobuf is rejected. The others in its message are applied. */
    @Test
    void malformedObject_isRefusedAlone() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            // The injected event has a version that the server has reached.
            long version = server.nextVersion() - 1;
            byte[] good = KubeWorld.object(ObjectKind.POD, 40, 1, version);
            byte[] bad = new byte[good.length + 1];
            System.arraycopy(good, 0, bad, 0, good.length);
            bad[good.length] = 0x12;
            byte[] first = Frames.frame("ADDED", "Pod", KubeWorld.object(ObjectKind.POD, 41, 1, version));
            byte[] second = Frames.frame("ADDED", "Pod", bad);
            server.inject(
                    ObjectKind.POD,
                    ByteBuffer.allocate(first.length + second.length)
                            .put(first)
                            .put(second)
                            .array());
            // The objects that arrived with it are applied after it was rejected.
            Await.until(() -> !followed.refusals.isEmpty() && followed.status().getPodCount() == 21);
            followed.awaitAll();
            assertEquals(1, followed.refusals.size());
            assertTrue(followed.refusals.get(0).getError().getMessage().contains("kind POD is not valid protobuf"));
            assertEquals(1, followed.state(ObjectKind.POD).refused());
        }
    }

    @Test
    @Timeout(60)
    void faultOfAListener_doesNotEndTheFeed() throws Exception {
        AtomicInteger faults = new AtomicInteger();
        KubeFeedListener listener = new KubeFeedListener() {
            @Override
            public void changed(KindState state) {
                if (state.kind() == ObjectKind.POD && faults.getAndIncrement() < 5) {
                    throw new IllegalStateException("this cannot be told: " + state);
                }
            }

            @Override
            public void refused(ObjectKind kind, Refusal refusal) {}
        };
        FeedTiming timing = new FeedTiming(
                Clock.systemUTC(),
                System::nanoTime,
                () -> 0,
                (wait, end) -> Thread.sleep(2),
                Duration.ofMillis(500),
                Duration.ofSeconds(30),
                Duration.ofHours(1));
        try (ScriptedApiServer server = filled();
                Instance instance = new Instance(InstanceOptions.standard());
                KubeFeed feed = KubeFeed.start(
                        instance.clusterState(),
                        7,
                        ClusterAccess.of(server.kubeconfig(directory, "", ""), null),
                        listener,
                        FedObjects.NOBODY,
                        timing)) {
            Await.until(() -> instance.clusterState().isReady() && feed.version(ObjectKind.POD) > 0);
            assertTrue(faults.get() >= 5);
        }
    }

    @Test
    void eventsThatComeTwice_changeNothing() throws Exception {
        ScriptedApiServer server = filled();
        server.repeatEvents(30);
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            change(followed);
            followed.awaitAll();
            long before = followed.status().getRevision().getCounter();
            server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(500, "", "cut here")));
            followed.awaitProblem(ObjectKind.POD, "cut here");
            followed.awaitAll();
            assertEquals(before, followed.status().getRevision().getCounter());
            followed.assertHoldsWhatTheServerHas();
        }
    }

    @Test
    void silentConnection_isTakenForDead() throws Exception {
        ScriptedApiServer server = filled();
        ClusterAccess access =
                ClusterAccess.of(server.kubeconfig(directory, "", ""), null).withSilence(Duration.ofSeconds(2));
        server.setSilent(ObjectKind.POD, true);
        try (FollowedServer followed = new FollowedServer(server, access)) {
            followed.awaitProblem(ObjectKind.POD, "timed out");
            server.setSilent(ObjectKind.POD, false);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            // A server that does not respond may still support streaming lists.
            assertEquals(
                    List.of(),
                    server.requests(ObjectKind.POD).stream()
                            .filter(request -> !request.contains("sendInitialEvents"))
                            .toList());
        }
    }

    @Test
    void server_thatAnswersStreamingListsByNothing_isListedInPages() throws Exception {
        ScriptedApiServer server = filled();
        ClusterAccess access =
                ClusterAccess.of(server.kubeconfig(directory, "", ""), null).withSilence(Duration.ofSeconds(2));
        server.setStreamingLists(ScriptedApiServer.StreamingLists.SILENT);
        try (FollowedServer followed = new FollowedServer(server, access)) {
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    @Test
    void server_whoseStreamingListsFail_isListedInPages() throws Exception {
        ScriptedApiServer server = filled();
        server.setStreamingLists(ScriptedApiServer.StreamingLists.FAILED);
        server.setPageSize(6);
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertEquals(List.of(), followed.waits);
        }
    }

    /** A watch from a version that the server no longer has is silent, and would miss all events up to it. */
    @Test
    void server_withARestoredEtcd_isListedAgain() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            ScriptedApiServer.Backup backup = server.backup();
            change(followed);
            followed.awaitAll();
            server.restore(backup);
            followed.put(ObjectKind.POD, 7, 1);
            followed.awaitAll();
            followed.awaitProblem(ObjectKind.NODE, "older");
            followed.assertHoldsWhatTheServerHas();
        }
    }

    @Test
    void kind_isFollowedAgain_afterAnErrorOfTheVirtualMachine() throws Exception {
        ScriptedApiServer server = filled();
        server.setStreamingLists(ScriptedApiServer.StreamingLists.REFUSED);
        ClusterAccess access = ClusterAccess.of(server.kubeconfig(directory, "", ""), null);
        try (FollowedServer followed = new FollowedServer(
                server, access, new OutOfMemoryError("no thread can be made"), Duration.ofHours(1))) {
            followed.awaitAll();
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    /** As if the network drops packets: no event, no end and no reset arrives. */
    @Test
    void watch_thatSaysNothingMore_isOpenedAgain_withoutALine_andLosesNothing() throws Exception {
        ScriptedApiServer server = filled();
        ClusterAccess access =
                ClusterAccess.of(server.kubeconfig(directory, "", ""), null).withSilence(Duration.ofSeconds(2));
        try (FollowedServer followed = new FollowedServer(server, access)) {
            followed.awaitAll();
            server.muteWatches(ObjectKind.POD);
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertTrue(server.requests(ObjectKind.POD).size() > 1);
            assertEquals(
                    1,
                    server.requests(ObjectKind.POD).stream()
                            .filter(request -> request.contains("sendInitialEvents"))
                            .count());
            assertEquals(
                    List.of(
                            KindState.Phase.CONNECTING,
                            KindState.Phase.LISTING,
                            KindState.Phase.WATCHING,
                            KindState.Phase.STOPPED),
                    followed.phases(ObjectKind.POD));
        }
    }

    @Test
    void watch_thatSaysNothingMore_isReported_ifItCannotBeOpenedAgain() throws Exception {
        ScriptedApiServer server = filled();
        ClusterAccess access =
                ClusterAccess.of(server.kubeconfig(directory, "", ""), null).withSilence(Duration.ofSeconds(2));
        try (FollowedServer followed = new FollowedServer(server, access)) {
            followed.awaitAll();
            server.muteWatches(ObjectKind.POD);
            server.setSilent(ObjectKind.POD, true);
            followed.awaitProblem(ObjectKind.POD, "timed out");
            server.setSilent(ObjectKind.POD, false);
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    /** A response may take longer than the silence limit, as long as bytes arrive. */
    @ParameterizedTest
    @EnumSource(
            value = ScriptedApiServer.StreamingLists.class,
            names = {"SERVED", "REFUSED"})
    void slowSender_isWaitedFor(ScriptedApiServer.StreamingLists streamingLists) throws Exception {
        ScriptedApiServer server = filled();
        server.setStreamingLists(streamingLists);
        server.writeInPieces(left -> 40);
        server.setPause(Duration.ofMillis(20));
        ClusterAccess access =
                ClusterAccess.of(server.kubeconfig(directory, "", ""), null).withSilence(Duration.ofSeconds(2));
        try (FollowedServer followed = new FollowedServer(server, access)) {
            Await.until(() -> followed.status().getReady());
            assertEquals(List.of(), followed.waits);
            server.setPause(Duration.ZERO);
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    @Test
    void watch_thatIsAcceptedAndThenTooOld_isNotReportedAsFollowed() throws Exception {
        ScriptedApiServer server = filled();
        server.refuseOldWatchesByEvent();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            server.cutAfter(ObjectKind.POD, 0);
            server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(500, "", "cut here")));
            followed.awaitProblem(ObjectKind.POD, "cut here");
            server.putUnseen(
                    ObjectKind.POD,
                    KubeWorld.uid(ObjectKind.POD, 4),
                    KubeWorld.object(ObjectKind.POD, 4, 5, server.nextVersion()));
            followed.awaitProblem(ObjectKind.POD, "returned 410");
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            boolean disturbed = false;
            for (KindState state : followed.states) {
                if (state.kind() == ObjectKind.POD
                        && String.valueOf(state.problem()).contains("cut here")) {
                    disturbed = true;
                }
                if (state.kind() == ObjectKind.POD
                        && String.valueOf(state.problem()).contains("returned 410")) {
                    break;
                }
                assertFalse(
                        disturbed && state.kind() == ObjectKind.POD && state.phase() == KindState.Phase.WATCHING,
                        () -> followed.states.toString());
            }
        }
    }

    @Test
    void versionThatIsTooOld_isTheFirstFailureOfAServerThatIsThereAgain() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            for (int i = 0; i < 4; i++) {
                server.refuse(ObjectKind.POD, new ScriptedApiServer.Refusal(500, "", null));
            }
            server.refuse(ObjectKind.POD, new ScriptedApiServer.Refusal(410, "too old", null));
            server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(500, "", "cut here")));
            followed.awaitProblem(ObjectKind.POD, "returned 410");
            followed.awaitAll();
            assertEquals(
                    List.of(250, 500, 1000, 2000, 4000, 250),
                    followed.waits.stream().map(wait -> (int) wait.toMillis()).toList());
        }
    }

    @Test
    void feed_beginsBeforeTheServerIsThere_andContinuesIfAnotherOneTakesItsPlace() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        ScriptedApiServer none = ScriptedApiServer.start();
        Path kubeconfig = none.kubeconfig(directory, "", "");
        java.nio.file.Files.writeString(
                kubeconfig, java.nio.file.Files.readString(kubeconfig).replace(":" + none.port(), ":" + port));
        none.close();
        ClusterAccess access = ClusterAccess.of(kubeconfig, null);
        try (FollowedServer early = new FollowedServer(none, access)) {
            for (ObjectKind kind : ObjectKind.ALL) {
                early.awaitProblem(kind, "no connection to http://127.0.0.1:" + port);
            }
            assertFalse(early.status().getReady());
            try (ScriptedApiServer late = ScriptedApiServer.start(port)) {
                late.put(
                        ObjectKind.NODE,
                        KubeWorld.uid(ObjectKind.NODE, 1),
                        KubeWorld.object(ObjectKind.NODE, 1, 1, late.nextVersion()));
                Await.until(() -> early.status().getReady() && early.status().getNodeCount() == 1);
            }
        }
    }

    @Test
    void waits_growToABound_andBeginAgainAfterSuccess() throws Exception {
        ScriptedApiServer server = filled();
        for (int i = 0; i < 9; i++) {
            server.refuse(ObjectKind.NODE, new ScriptedApiServer.Refusal(500, "", null));
        }
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            // The random number is 0, so each wait is half of its maximum.
            assertEquals(
                    List.of(250, 500, 1000, 2000, 4000, 8000, 15000, 15000, 15000),
                    followed.waits.stream().map(wait -> (int) wait.toMillis()).toList());
            followed.pass(Duration.ofSeconds(6));
            server.inject(ObjectKind.NODE, Frames.frame("ERROR", "Status", Frames.status(500, "", "cut here")));
            followed.awaitProblem(ObjectKind.NODE, "cut here");
            // The problem is reported just before the wait begins.
            Await.until(() -> followed.waits.size() > 9);
            assertEquals(Duration.ofMillis(250), followed.waits.get(9));
        }
    }

    @Test
    void kindThatAnotherFeederTakes_isFedAgainOnceThatOneHasEnded() throws Exception {
        try (FollowedServer followed = FollowedServer.follow(filled(), directory)) {
            followed.awaitAll();
            try (SyncSession other = followed.instance.clusterState().sync()) {
                takePods(other);
                followed.put(ObjectKind.POD, 3, 4);
                followed.awaitProblem(ObjectKind.POD, "has taken over");
                followed.awaitProblem(ObjectKind.POD, "is in progress");
                assertThrows(RequestException.class, () -> {
                    try (SyncSession third = followed.instance.clusterState().sync()) {
                        third.handle(SyncRequest.newBuilder()
                                .setBeginSnapshot(BeginSnapshot.newBuilder().setFeeder("third"))
                                .build());
                    }
                });
            }
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    /** Nothing happens in the kind meanwhile, so no event or bookmark can reveal the takeover. */
    @Test
    void quietKindThatAnotherFeederTakes_isFedAgainOnceThatOneHasEnded() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            server.muteWatches(ObjectKind.POD);
            // The last bookmark may still be on its way.
            Thread.sleep(200);
            try (SyncSession other = followed.instance.clusterState().sync()) {
                takePods(other);
                other.handle(SyncRequest.newBuilder()
                        .setEndSnapshot(EndSnapshot.newBuilder()
                                .addKinds(KindVersion.newBuilder().setKind(PODS)))
                        .build());
                assertEquals(0, followed.status().getPodCount());
                followed.awaitProblem(ObjectKind.POD, "has taken over");
                followed.awaitProblem(ObjectKind.POD, "try again when it has ended");
            }
            Await.until(() -> followed.status().getPodCount() == 20);
            followed.assertHoldsWhatTheServerHas();
        }
    }

    /** There is no call to cancel yet, and no event or bookmark afterwards that could reveal the takeover. */
    @Test
    void kindThatAnotherFeederTakes_justBeforeItsWatchIsAskedFor_endsThatWatch() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory);
                SyncSession other = followed.instance.clusterState().sync()) {
            followed.awaitAll();
            AtomicInteger rolls = new AtomicInteger();
            followed.whenDiceRoll(thread -> {
                if (thread.equals(THREAD + "pods") && rolls.getAndIncrement() == 0) {
                    takePods(other);
                }
            });
            // After the first watch that ends like this, the next one begins immediately.
            server.endWatchesAfterEachEvent(ObjectKind.POD);
            followed.put(ObjectKind.POD, 3, 4);
            followed.awaitProblem(ObjectKind.POD, "has taken over");
        }
    }

    @Test
    void watchesThatEndAfterEachEvent_areOpenedAgain_withoutALine_andNotAtOnce() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            server.endWatchesAfterEachEvent(ObjectKind.POD);
            for (int i = 0; i < 3; i++) {
                change(followed);
                followed.awaitAll();
            }
            followed.assertHoldsWhatTheServerHas();
            int watches = (int) server.requests(ObjectKind.POD).stream()
                    .filter(request -> request.contains("watch=1"))
                    .count();
            assertTrue(watches > 2, () -> watches + " watches");
            assertTrue(followed.waits.size() >= watches - 3, () -> followed.waits + " and " + watches + " watches");
            assertTrue(followed.waits.stream().allMatch(wait -> wait.toMillis() == 500), followed.waits::toString);
            assertFalse(followed.phases(ObjectKind.POD).contains(KindState.Phase.WAITING));
        }
    }

    @Test
    void listsAfterWhichWatchesFail_comeLessAndLessOften() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            for (int i = 0; i < 5; i++) {
                int waits = followed.waits.size();
                server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(410, "Expired", "gone")));
                Await.until(() -> followed.waits.size() > waits);
                followed.awaitAll();
            }
            assertEquals(
                    List.of(250, 500, 1000, 2000, 4000),
                    followed.waits.stream().map(wait -> (int) wait.toMillis()).toList());
            followed.assertHoldsWhatTheServerHas();
        }
    }

    /** For example, the server cannot read an event after that version, but can serve a list. */
    @Test
    void watch_thatFailsByItsFirstEventAgainAndAgain_leadsToAList() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            server.failWatches(ObjectKind.POD);
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertTrue(followed.states.stream()
                    .anyMatch(state -> String.valueOf(state.problem()).contains("an object cannot be read")));
            long watches = server.requests(ObjectKind.POD).stream()
                    .filter(request -> request.contains("&resourceVersion="))
                    .count();
            assertEquals(3, watches, "a passing error leads to no list");
        }
    }

    @Test
    void bookmarkOfAnOlderVersion_takesNothingBack() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            String before = followed.version(ObjectKind.POD);
            int requests = server.requests(ObjectKind.POD).size();
            server.inject(ObjectKind.POD, Frames.frame("BOOKMARK", "Pod", Frames.bookmark(1, false)));
            server.inject(ObjectKind.POD, Frames.frame("ERROR", "Status", Frames.status(500, "", "cut here")));
            followed.awaitProblem(ObjectKind.POD, "cut here");
            assertEquals(before, followed.version(ObjectKind.POD));
            change(followed);
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
            assertTrue(server.requests(ObjectKind.POD).stream()
                    .skip(requests)
                    .noneMatch(request -> request.contains("resourceVersion=1&")));
        }
    }

    /** The names of all feed threads. */
    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(THREAD))
                .toList();
    }

    @Test
    void close_endsPromptly_andLetsGoOfTheServer() throws Exception {
        ScriptedApiServer server = filled();
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            followed.awaitAll();
            assertEquals(ObjectKind.ALL.size(), server.openWatches());
            followed.stopFeeding();
            List<String> running = threads();
            for (ObjectKind kind : ObjectKind.ALL) {
                assertFalse(running.contains(THREAD + ApiResource.plural(kind)), running::toString);
            }
            // The threads of a pool may still be ending after it reports its termination.
            Await.until(() -> threads().isEmpty());
            // A server notices the end of a connection only when it writes.
            Await.until(() -> {
                server.bookmark();
                return server.openWatches() == 0;
            });
            assertTrue(followed.status().getReady());
            assertNotNull(followed.status().getNodeTableToken());
        }
    }
}
