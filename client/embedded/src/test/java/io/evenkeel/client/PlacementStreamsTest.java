package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.client.ClientKind.Opened;
import io.evenkeel.client.embedded.EmbeddedPlacement;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SyncResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the streams of all clients, remote and embedded. */
@Timeout(60)
final class PlacementStreamsTest {
    private static EvaluateRequest request(Pod pod) {
        return Query.of(pod).toEvaluate();
    }

    private static int passed(EvaluateResponse answer) {
        return answer.getAnswers(0).getReadable().getPassedCount();
    }

    private static PlacementException failureOf(CompletableFuture<?> future) {
        ExecutionException failed = assertThrows(ExecutionException.class, future::get);
        return assertInstanceOf(PlacementException.class, failed.getCause());
    }

    @ParameterizedTest
    @EnumSource
    void evaluations_areAnsweredInOrder_manyAtOnce(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            ClientWorld.add(opened.client(), ClientWorld.zones(2, 1));
            try (EvaluationStream stream = opened.client().evaluationStream()) {
                List<CompletableFuture<EvaluateResponse>> answers = new ArrayList<>();
                for (int i = 0; i < 2_000; i++) {
                    answers.add(stream.evaluate(request(i % 2 == 0 ? ClientWorld.hard() : ClientWorld.soft())));
                }
                for (int i = 0; i < answers.size(); i++) {
                    assertEquals(i % 2 == 0 ? 1 : 2, passed(answers.get(i).get()));
                }
            }
        }
    }

    private static Node roomy(String name, int pods) {
        Node.Builder node = ClientWorld.node(name, name).toBuilder();
        node.getStatusBuilder().putAllocatable("pods", StringValue.of(String.valueOf(pods)));
        return node.build();
    }

    @ParameterizedTest
    @EnumSource
    void watch_namesPodsOnce_whenANodeBeginsToPass(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, List.of(ClusterObjects.of(roomy("full", 0))));
            try (PodWatch watch = client.watchUnblocked()) {
                assertEquals(0, watch.add("first", ClientWorld.hard()).get().getPassedCount());
                assertEquals(0, watch.add("second", ClientWorld.hard()).get().getPassedCount());
                assertEquals(0, watch.add("gone", ClientWorld.hard()).get().getPassedCount());
                watch.remove("gone");
                assertEquals(
                        ErrorReason.ERROR_REASON_INVALID_FIELD,
                        failureOf(watch.add("", ClientWorld.hard())).reason());

                Revision room = ClientWorld.add(client, List.of(ClusterObjects.of(roomy("first", 2))))
                        .getRevision();
                UnblockedPods unblocked = watch.await(Duration.ofSeconds(30)).orElseThrow();
                assertEquals(new UnblockedPods(room, List.of("first", "second")), unblocked);
                assertEquals(1, watch.add("third", ClientWorld.hard()).get().getPassedCount());
                assertTrue(watch.await(Duration.ofMillis(1)).isEmpty());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void watch_failsWhenItIsClosed(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            PodWatch early = client.watchUnblocked();
            assertEquals(
                    ErrorReason.ERROR_REASON_NOT_FED,
                    failureOf(early.add("pod", ClientWorld.hard())).reason());
            assertThrows(PlacementException.class, () -> early.await(Duration.ofSeconds(30)));

            ClientWorld.add(client, List.of(ClusterObjects.of(roomy("full", 0))));
            PodWatch watch = client.watchUnblocked();
            watch.add("pod", ClientWorld.hard()).get();
            watch.close();
            assertThrows(PlacementException.class, () -> watch.await(Duration.ofSeconds(30)));
            assertEquals(
                    ErrorCode.CANCELLED,
                    failureOf(watch.add("pod", ClientWorld.hard())).code());
        }
    }

    @ParameterizedTest
    @EnumSource
    void evaluation_waitsForItsRevision_andThoseBehindItKeepTheirPlace(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            Revision now = ClientWorld.add(client, ClientWorld.zones(2, 1)).getRevision();
            Revision next = now.toBuilder().setCounter(now.getCounter() + 1).build();
            try (EvaluationStream stream = client.evaluationStream()) {
                CompletableFuture<EvaluateResponse> first = stream.evaluate(
                        Query.of(ClientWorld.hard()).atLeast(next).toEvaluate());
                CompletableFuture<EvaluateResponse> second = stream.evaluate(request(ClientWorld.hard()));
                CompletableFuture<EvaluateResponse> third = stream.evaluate(request(ClientWorld.soft()));
                assertFalse(first.isDone());
                assertFalse(second.isDone());
                ClientWorld.add(client, List.of(ClusterObjects.of(ClientWorld.pod("web-new", "node-b"))));
                assertEquals(2, passed(first.get()));
                assertTrue(second.get().getRevision().getCounter() >= next.getCounter());
                assertTrue(third.get().getRevision().getCounter() >= next.getCounter());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestThatIsWrong_failsItsFuture_andTheStreamGoesOn(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            ClientWorld.add(opened.client(), ClientWorld.zones(2, 1));
            try (EvaluationStream stream = opened.client().evaluationStream()) {
                EvaluateRequest unknownSet = Query.of(ClientWorld.hard())
                        .among(CandidateNodes.nodeSet("gone"))
                        .toEvaluate();
                EvaluateRequest foreign = Query.of(ClientWorld.hard())
                        .atLeast(Revision.newBuilder().setInstance("gone").build())
                        .toEvaluate();
                var first = stream.evaluate(unknownSet);
                var second = stream.evaluate(foreign);
                var third = stream.evaluate(request(ClientWorld.hard()));
                assertEquals(ErrorCode.NOT_FOUND, failureOf(first).code());
                assertEquals(ErrorCode.FAILED_PRECONDITION, failureOf(second).code());
                assertEquals(1, passed(third.get()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestWithATimeout_failsAlone_andFreesThoseBehindIt(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            Revision now = ClientWorld.add(client, ClientWorld.zones(2, 1)).getRevision();
            Query never = Query.of(ClientWorld.hard())
                    .atLeast(now.toBuilder().setCounter(now.getCounter() + 1).build());
            try (EvaluationStream stream = client.evaluationStream()) {
                var first = stream.evaluate(never.toEvaluate(), Duration.ofMillis(30));
                var second = stream.evaluate(request(ClientWorld.hard()), Duration.ofDays(100_000));
                assertEquals(ErrorCode.UNAVAILABLE, failureOf(first).code());
                assertEquals(
                        ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME,
                        failureOf(first).reason());
                assertEquals(1, passed(second.get()));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> stream.evaluate(request(ClientWorld.hard()), Duration.ZERO));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestWhoseWorkTakesLonger_isAnsweredSo_andThoseBehindItFollow(ClientKind kind) throws Exception {
        InstanceOptions unbounded = InstanceOptions.standard()
                .withLimits(Limits.builder()
                        .constraints(Integer.MAX_VALUE)
                        .newConstraints(Integer.MAX_VALUE)
                        .build());
        try (Opened opened = kind.open(unbounded)) {
            ClientWorld.add(opened.client(), ClientWorld.zones(2, 1));
            try (EvaluationStream stream = opened.client().evaluationStream()) {
                var first = stream.evaluate(ClientWorld.laborious(), Duration.ofMillis(300));
                var second = stream.evaluate(request(ClientWorld.hard()));
                PlacementException late = failureOf(first);
                assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
                assertEquals(ErrorReason.ERROR_REASON_TIMED_OUT, late.reason());
                assertEquals(1, passed(second.get()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void stream_isClosed_whileARequestWaits_withinTheDeadline(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client().within(Duration.ofMillis(50));
            Revision now =
                    ClientWorld.add(opened.client(), ClientWorld.zones(2, 1)).getRevision();
            EvaluationStream stream = client.evaluationStream();
            CompletableFuture<EvaluateResponse> waiting = stream.evaluate(Query.of(ClientWorld.hard())
                    .atLeast(now.toBuilder().setCounter(now.getCounter() + 1).build())
                    .toEvaluate());
            stream.close();
            assertEquals(ErrorCode.CANCELLED, failureOf(waiting).code());
        }
    }

    @Test
    void embeddedStream_isClosed_withinTheDeadline_whateverItsExecutorDoes() {
        List<Runnable> left = new ArrayList<>();
        try (PlacementClient client = EmbeddedPlacement.builder()
                .executor(left::add)
                .deadline(Duration.ofMillis(50))
                .build()) {
            ClientWorld.add(client, ClientWorld.zones(2, 1));
            EvaluationStream stream = client.evaluationStream();
            CompletableFuture<EvaluateResponse> unanswered = stream.evaluate(request(ClientWorld.hard()));
            assertEquals(1, left.size());
            stream.close();
            assertTrue(unanswered.isDone());
            assertEquals(ErrorCode.CANCELLED, failureOf(unanswered).code());
            left.forEach(Runnable::run);
        }
    }

    @ParameterizedTest
    @EnumSource
    void feed_loadsALargeCluster_andFollowsIt(ClientKind kind) throws Exception {
        try (Opened opened = kind.open();
                ClusterFeed feed = opened.client().feed()) {
            List<ClusterObject> objects = new ArrayList<>(ClientWorld.zones(2, 1, 1));
            objects.add(ClusterObjects.of(Node.getDefaultInstance()));
            for (int i = 0; i < 5_000; i++) {
                objects.add(ClusterObjects.of(ClientWorld.pod("other-" + i, "node-" + (char) ('a' + i % 3))));
            }
            SnapshotResult loaded = feed.snapshot(objects.iterator());
            assertEquals(objects.size(), loaded.sent());
            assertEquals(1, loaded.refused());
            assertEquals(7, loaded.refusals().get(0).getPosition());
            assertEquals(objects.size() - 1, loaded.applied());
            GetStatusResponse status = opened.client().status();
            assertTrue(status.getReady());
            assertEquals(5_004, status.getCountedPodCount());

            SyncResponse changed = feed.events(List.of(
                            ClusterObjects.deleted(ClusterObjects.of(ClientWorld.pod("web-a0", ""))),
                            ClusterObjects.modified(ClusterObject.getDefaultInstance())))
                    .get();
            assertEquals(1, changed.getAppliedCount());
            assertEquals(1, changed.getRefusals(0).getPosition());
            assertTrue(changed.getRevision().getCounter() > loaded.revision().getCounter());

            SnapshotResult later = feed.snapshot(ClientWorld.zones(1, 1).iterator());
            assertEquals(5_003, later.removed());
            assertEquals(2, opened.client().status().getCountedPodCount());
        }
    }

    @ParameterizedTest
    @EnumSource
    void schedulerStream_answersFromWhatItHasSent(ClientKind kind) throws Exception {
        try (Opened opened = kind.open();
                SchedulerStream stream = opened.client().schedulerStream(FeedOptions.named("scheduler"))) {
            stream.feed()
                    .snapshot(Stream.of("a", "b")
                            .map(zone -> ClusterObjects.of(ClientWorld.node(zone, zone)))
                            .iterator());
            List<CompletableFuture<EvaluateResponse>> answers = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                CompletableFuture<SyncResponse> sent = stream.feed()
                        .events(List.of(ClusterObjects.added(
                                ClusterObjects.of(ClientWorld.pod("web-" + i, i % 2 == 0 ? "a" : "b")))));
                answers.add(stream.evaluations().evaluate(request(ClientWorld.hard())));
                assertEquals(0, sent.get().getRefusalsCount());
            }
            for (int i = 0; i < answers.size(); i++) {
                assertEquals(i % 2 == 0 ? 1 : 2, passed(answers.get(i).get()));
            }
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT,
                    failureOf(stream.evaluations()
                                    .evaluate(EvaluateRequest.newBuilder()
                                            .setOptions(
                                                    QueryOptions.newBuilder().setFormValue(7))
                                            .build()))
                            .code());
        }
    }

    @ParameterizedTest
    @EnumSource
    void snapshotThatBreaksOff_removesNothing(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            try (ClusterFeed feed = opened.client().feed()) {
                feed.snapshot(ClientWorld.zones(2, 1).iterator());
            }
            try (ClusterFeed feed = opened.client().feed()) {
                feed.beginSnapshot().get();
                feed.objects(ClientWorld.zones(1)).get();
            }
            GetStatusResponse status = opened.client().status();
            while (status.getKindsList().stream().anyMatch(KindStatus::getSnapshotUnderWay)) {
                status = opened.client().status();
            }
            assertEquals(3, status.getCountedPodCount());
            assertTrue(status.getReady());
        }
    }

    @ParameterizedTest
    @EnumSource
    void feed_ends_whenItsMessageIsRefused(ClientKind kind) {
        try (Opened opened = kind.open();
                ClusterFeed feed = opened.client().feed()) {
            assertEquals(
                    ErrorCode.FAILED_PRECONDITION, failureOf(feed.endSnapshot()).code());
            assertEquals(
                    ErrorCode.FAILED_PRECONDITION,
                    failureOf(feed.beginSnapshot()).code());
        }
    }

    @ParameterizedTest
    @EnumSource
    void feed_isAborted_whenAnotherTakesOver(ClientKind kind) throws Exception {
        try (Opened opened = kind.open();
                ClusterFeed first = opened.client().feed(FeedOptions.named("first"));
                ClusterFeed early = opened.client().feed(FeedOptions.named("first"));
                ClusterFeed other = opened.client().feed(FeedOptions.named("second"));
                ClusterFeed second =
                        opened.client().feed(FeedOptions.named("second").takingOver())) {
            first.beginSnapshot().get();
            assertEquals(
                    ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY,
                    failureOf(early.beginSnapshot()).reason());
            first.endSnapshot().get();
            assertEquals(
                    ErrorReason.ERROR_REASON_FEEDER_ACTIVE,
                    failureOf(other.beginSnapshot()).reason());
            second.beginSnapshot().get();
            PlacementException aborted = failureOf(first.objects(ClientWorld.zones(1)));
            assertEquals(ErrorCode.ABORTED, aborted.code());
            assertEquals(ErrorReason.ERROR_REASON_FEED_TAKEN_OVER, aborted.reason());
            second.objects(ClientWorld.zones(2, 1)).get();
            second.endSnapshot().get();
            assertEquals(3, opened.client().status().getCountedPodCount());
        }
    }

    @ParameterizedTest
    @EnumSource
    void feedersThatRetry_allCompleteTheirSnapshots(ClientKind kind) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (Opened opened = kind.open()) {
            List<Future<?>> feeders = new ArrayList<>();
            for (int feeder = 0; feeder < 4; feeder++) {
                feeders.add(threads.submit(() -> {
                    for (int round = 0; round < 5; round++) {
                        feedUntilItCompletes(opened.client());
                    }
                }));
            }
            for (Future<?> feeder : feeders) {
                feeder.get();
            }
            assertEquals(3, opened.client().status().getCountedPodCount());
            assertTrue(opened.client().status().getReady());
        } finally {
            threads.shutdownNow();
        }
    }

    private static void feedUntilItCompletes(PlacementClient client) {
        Set<ErrorReason> retried =
                Set.of(ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY, ErrorReason.ERROR_REASON_FEED_TAKEN_OVER);
        while (true) {
            try (ClusterFeed feed = client.feed(FeedOptions.named("informers"))) {
                feed.snapshot(ClientWorld.zones(2, 1).iterator());
                return;
            } catch (PlacementException refused) {
                assertTrue(retried.contains(refused.reason()), refused::getMessage);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void feedOfOneKind_relistsIt_andLeavesTheOthersAlone(ClientKind kind) throws Exception {
        try (Opened opened = kind.open();
                ClusterFeed feed = opened.client().feed(FeedOptions.named("informers"))) {
            feed.snapshot(ClientWorld.zones(2, 1).iterator());
            Set<ObjectKind> pods = Set.of(ObjectKind.OBJECT_KIND_POD);
            feed.beginSnapshot(Set.of(ObjectKind.OBJECT_KIND_SERVICE)).get();
            SnapshotResult relisted = feed.snapshot(
                    pods,
                    List.of(ClusterObjects.of(ClientWorld.pod("web-a0", "node-a")))
                            .iterator());
            assertEquals(2, relisted.removed());
            GetStatusResponse status = opened.client().status();
            assertEquals(List.of(2L, 1L), List.of(status.getNodeCount(), status.getPodCount()));
            // The snapshot of services is still under way: it was not ended with that of the pods.
            SyncResponse ended = feed.endSnapshot(Map.of(ObjectKind.OBJECT_KIND_SERVICE, "7"))
                    .get();
            assertEquals(0, ended.getRemovedCount());
            SyncResponse bookmarked =
                    feed.bookmark(ObjectKind.OBJECT_KIND_NODE, "8").get();
            assertEquals(List.of(), bookmarked.getRefusalsList());
            assertEquals(ended.getRevision(), bookmarked.getRevision());
            assertEquals("informers", opened.client().status().getKinds(1).getFeeder());
        }
    }

    @ParameterizedTest
    @EnumSource
    void queries_seeWhatTheFeedWasAcknowledged_whenReadingOwnWrites(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            Revisions writes = new Revisions();
            PlacementClient client = opened.client().readingOwnWrites(writes);
            try (ClusterFeed feed = client.feed();
                    EvaluationStream stream = client.evaluationStream()) {
                SnapshotResult loaded = feed.snapshot(ClientWorld.zones(2, 1).iterator());
                assertEquals(loaded.revision(), writes.newest().orElseThrow());
                for (int i : IntStream.range(0, 50).toArray()) {
                    SyncResponse fed = feed.events(List.of(
                                    ClusterObjects.added(ClusterObjects.of(ClientWorld.pod("web-" + i, "node-b")))))
                            .get();
                    EvaluateResponse answer =
                            stream.evaluate(request(ClientWorld.hard())).get();
                    assertTrue(answer.getRevision().getCounter()
                            >= fed.getRevision().getCounter());
                }
            }
        }
    }
}
