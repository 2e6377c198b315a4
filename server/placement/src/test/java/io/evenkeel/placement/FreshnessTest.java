package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.event;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.placement.answer.EvaluateHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.FeedListener;
import io.evenkeel.placement.call.InstanceClock;
import io.evenkeel.placement.call.KindFeedState;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.WireDurations;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.SyncRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what queries demand of the state's versions and age, and what is reported about feeds. */
@Timeout(60)
final class FreshnessTest {
    private static final Instant MORNING = Instant.parse("2026-01-02T03:04:05Z");
    private static final Duration LONG = Duration.ofMinutes(1);

    private long now;
    private final Instance instance =
            new Instance(InstanceOptions.standard().withClock(new InstanceClock(() -> now, () -> MORNING)));
    private final SyncSession feed = instance.clusterState().sync();

    @AfterEach
    void close() {
        feed.close();
        IndexValidator.validate(instance.engine());
        instance.close();
    }

    private static ClusterObject at(Pod pod, long version) {
        Pod.Builder versioned = pod.toBuilder();
        versioned.getMetadataBuilder().setResourceVersion(Long.toString(version));
        return object(versioned.build());
    }

    private static ClusterEvent bookmark(long version) {
        return event(ClusterEvent.Type.TYPE_BOOKMARK, at(Pod.getDefaultInstance(), version));
    }

    private static ClusterEvent added(Pod pod, long version) {
        return event(ClusterEvent.Type.TYPE_ADDED, at(pod, version));
    }

    private static void begin(SyncSession session, String feeder, Set<ObjectKind> kinds) {
        BeginSnapshot.Builder begin =
                BeginSnapshot.newBuilder().setFeeder(feeder).setTakeover(true);
        kinds.forEach(kind -> begin.addKinds(KindMessages.inMessages(kind)));
        session.handle(SyncRequest.newBuilder().setBeginSnapshot(begin).build());
    }

    private static void end(SyncSession session, Set<ObjectKind> kinds, long version) {
        EndSnapshot.Builder end = EndSnapshot.newBuilder();
        kinds.forEach(kind -> end.addKindsBuilder()
                .setKind(KindMessages.inMessages(kind))
                .setResourceVersion(version == 0 ? "" : Long.toString(version)));
        session.handle(SyncRequest.newBuilder().setEndSnapshot(end).build());
    }

    private void events(ClusterEvent... events) {
        feed.handle(SyncRequest.newBuilder()
                .setEvents(Events.newBuilder().addAllEvents(List.of(events)))
                .build());
    }

    /** Sends a first snapshot of every kind, with lists at this version. */
    private void list(long version) {
        begin(feed, "kube", ObjectKind.ALL);
        end(feed, ObjectKind.ALL, version);
    }

    private static Freshness pods(long version) {
        return Freshness.newBuilder()
                .addResourceVersions(KindVersion.newBuilder()
                        .setKind(io.evenkeel.v1.ObjectKind.OBJECT_KIND_POD)
                        .setResourceVersion(Long.toString(version)))
                .build();
    }

    private EvaluateResponse evaluate(Freshness demanded) {
        return Queries.of(instance.placement())
                .prepare(EvaluateRequest.newBuilder()
                        .addPods(web(hard(ZONE)))
                        .setFreshness(demanded)
                        .build())
                .answer();
    }

    private String toldOfPods() {
        return evaluate(Freshness.newBuilder().setIncludeResourceVersions(true).build())
                .getResourceVersionsList()
                .stream()
                .filter(told -> told.getKind() == io.evenkeel.v1.ObjectKind.OBJECT_KIND_POD)
                .map(KindVersion::getResourceVersion)
                .findFirst()
                .orElse("none");
    }

    private RequestException refusal(Freshness demanded) {
        return assertThrows(RequestException.class, () -> evaluate(demanded));
    }

    /** The eventual answer to a call that waits. */
    private CompletableFuture<EvaluateResponse> ask(Freshness demanded, Duration patience) {
        FutureCall<ResponseBytes> call = new FutureCall<>(patience);
        EvaluateHandler evaluate = instance.placement().evaluate();
        byte[] request = EvaluateRequest.newBuilder()
                .addPods(web(hard(ZONE)))
                .setFreshness(demanded)
                .build()
                .toByteArray();
        evaluate.handle(evaluate.parse(request, call), call);
        return call.thenApply(answer -> answer.parse(EvaluateResponse.parser()));
    }

    private static RequestException failure(CompletableFuture<EvaluateResponse> call) {
        ExecutionException failed = assertThrows(ExecutionException.class, call::get);
        return assertInstanceOf(RequestException.class, failed.getCause());
    }

    @Test
    void reported_isTheListsVersion_thenTheLastEvents_notABookmarks() {
        list(100);
        assertEquals("100", toldOfPods());
        events(bookmark(120));
        assertEquals("100", toldOfPods());
        events(added(pod("a", "z1"), 130), bookmark(140));
        assertEquals("130", toldOfPods());
        // Nothing changes, but the state is now at this version.
        events(event(ClusterEvent.Type.TYPE_MODIFIED, at(pod("a", "z1"), 150)));
        assertEquals("150", toldOfPods());
    }

    @Test
    void listWithoutAVersion_isNamedByItsNewestObject() {
        begin(feed, "kube", ObjectKind.ALL);
        feed.handle(SyncRequest.newBuilder()
                .setObjects(
                        Objects.newBuilder().addObjects(at(pod("a", "z1"), 7)).addObjects(at(pod("b", "z1"), 5)))
                .build());
        end(feed, ObjectKind.ALL, 0);
        assertEquals("7", toldOfPods());
    }

    @Test
    void demand_waits_forAnEvent_aListAndABookmark() throws Exception {
        list(100);
        CompletableFuture<EvaluateResponse> event = ask(pods(110), LONG);
        CompletableFuture<EvaluateResponse> bookmark = ask(pods(120), LONG);
        CompletableFuture<EvaluateResponse> list = ask(pods(130), LONG);
        events(added(pod("a", "z1"), 110));
        event.get();
        events(bookmark(125));
        bookmark.get();
        assertFalse(list.isDone());
        begin(feed, "kube", EnumSet.of(ObjectKind.POD));
        end(feed, EnumSet.of(ObjectKind.POD), 130);
        list.get();
    }

    /** The write of this list changes nothing, so only the feed's news ends the wait. */
    @Test
    void demand_doesNotWait_forListenersOfTheFeed() {
        list(100);
        CompletableFuture<EvaluateResponse> call = ask(pods(130), LONG);
        CompletableFuture<EvaluateResponse> answeredFirst = new CompletableFuture<>();
        instance.clusterState().onFeed(new FeedListener() {
            @Override
            public void snapshotEnded(String feeder, Map<ObjectKind, Long> versions) {
                try {
                    answeredFirst.complete(call.get(10, TimeUnit.SECONDS));
                } catch (ExecutionException | InterruptedException | TimeoutException e) {
                    answeredFirst.completeExceptionally(e);
                }
            }
        });
        begin(feed, "kube", EnumSet.of(ObjectKind.POD));
        end(feed, EnumSet.of(ObjectKind.POD), 130);
        assertEquals(1, answeredFirst.join().getAnswersCount());
    }

    @Test
    void demandThatIsNotReached_namesKindAndVersions() {
        list(100);
        RequestException late = failure(ask(pods(101), Duration.ZERO));
        assertEquals(ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME, late.reason());
        assertEquals(Set.of(ObjectKind.POD), late.kinds());
        assertEquals(
                "version 101 of POD was not reached in time: its feed is at 100 (freshness.resourceVersions)",
                late.getMessage());
    }

    @Test
    void demandsForARevisionAndAVersion_holdTogether() throws Exception {
        list(100);
        Freshness both = pods(110).toBuilder()
                .setRevision(
                        instance
                                .clusterState()
                                .getStatus(GetStatusRequest.getDefaultInstance())
                                .getRevision()
                                .toBuilder()
                                .setCounter(instance.engine().revision() + 2))
                .build();
        CompletableFuture<EvaluateResponse> call = ask(both, LONG);
        events(added(pod("a", "z1"), 110));
        assertThrows(TimeoutException.class, () -> call.get(50, TimeUnit.MILLISECONDS));
        instance.clusterState().apply(apply(List.of(object(pod("b", "z1")))));
        call.get();
    }

    @Test
    void demand_isRefusedAtOnce_ifNoFeedReportsVersions() {
        instance.clusterState().apply(apply(List.of(at(pod("a", "z1"), 5))));
        assertEquals("none", toldOfPods());
        RequestException refused = failure(ask(pods(1), LONG));
        assertEquals(ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN, refused.reason());
        assertEquals(Set.of(ObjectKind.POD), refused.kinds());
    }

    @Test
    void demand_isRefused_asAnyQueryIs_beforeTheFirstSnapshotHasEnded() {
        begin(feed, "kube", ObjectKind.ALL);
        assertEquals(
                ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY,
                failure(ask(pods(1), LONG)).reason());
    }

    @Test
    void callThatWaits_isRejected_whenTheServerStops() throws Exception {
        list(100);
        CompletableFuture<EvaluateResponse> call = ask(pods(110), LONG);
        while (!call.isDone()) {
            instance.close();
            Thread.sleep(1);
        }
        assertEquals(ErrorReason.ERROR_REASON_STOPPING, failure(call).reason());
    }

    @Test
    void laterSnapshot_doesNotReporthing_butHoldsWhatItHeld() {
        list(100);
        begin(feed, "kube", EnumSet.of(ObjectKind.POD));
        assertEquals("none", toldOfPods());
        evaluate(pods(100));
        assertEquals(
                ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME, refusal(pods(101)).reason());
        feed.close();
        assertEquals("none", toldOfPods());
        evaluate(pods(100));
    }

    @Test
    void streamThatEnds_leavesItsVersions() {
        list(100);
        feed.close();
        assertEquals("100", toldOfPods());
        evaluate(pods(100));
    }

    @Test
    void refusalForLackOfRoom_endsVersions_untilASnapshotWithoutOne() {
        try (Instance small = SmallInstances.ofHosts(1);
                SyncSession session = small.clusterState().sync()) {
            begin(session, "kube", ObjectKind.ALL);
            end(session, ObjectKind.ALL, 100);
            session.handle(SyncRequest.newBuilder()
                    .setEvents(Events.newBuilder()
                            .addEvents(added(pod("a", "z1"), 101))
                            .addEvents(added(pod("b", "z2"), 102)))
                    .build());
            EvaluateRequest demanding = EvaluateRequest.newBuilder()
                    .addPods(web(hard(ZONE)))
                    .setFreshness(pods(100))
                    .build();
            RequestException refused = assertThrows(
                    RequestException.class,
                    () -> Queries.of(small.placement()).prepare(demanding).answer());
            assertEquals(ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN, refused.reason());
            assertTrue(refused.getMessage().startsWith("some objects of POD were rejected for lack of room"));
            begin(session, "kube", EnumSet.of(ObjectKind.POD));
            end(session, EnumSet.of(ObjectKind.POD), 110);
            assertEquals(
                    1, Queries.of(small.placement()).prepare(demanding).answer().getAnswersCount());
        }
    }

    @Test
    void changeByApply_hidesTheVersion_untilTheFeedHasGotThere() {
        list(100);
        instance.clusterState().apply(apply(List.of(at(pod("a", "z1"), 110))));
        assertEquals("none", toldOfPods());
        events(added(pod("b", "z1"), 105));
        assertEquals("none", toldOfPods());
        events(added(pod("a", "z1"), 110));
        assertEquals("110", toldOfPods());
        instance.clusterState().apply(apply(List.of(object(pod("c", "z1")))));
        events(added(pod("d", "z1"), 120));
        assertEquals("none", toldOfPods());
        begin(feed, "kube", EnumSet.of(ObjectKind.POD));
        end(feed, EnumSet.of(ObjectKind.POD), 130);
        assertEquals("130", toldOfPods());
    }

    @Test
    void versionThatDoesNotFit_isRefusedByItsField() {
        list(100);
        for (String wrong : List.of("9223372036854775808", "0", "01", "-1", "")) {
            RequestException refused = refusal(Freshness.newBuilder()
                    .addResourceVersions(KindVersion.newBuilder()
                            .setKind(io.evenkeel.v1.ObjectKind.OBJECT_KIND_POD)
                            .setResourceVersion(wrong))
                    .build());
            assertEquals(
                    "freshness.resourceVersions[0].resourceVersion",
                    refused.violations().get(0).getField());
        }
    }

    private Freshness within(Duration age) {
        return Freshness.newBuilder()
                .setMaxAge(WireDurations.ofNanos(age.toNanos()))
                .build();
    }

    @Test
    void state_isTooOld_onceAKindWasNotHeardOfForLonger() {
        list(100);
        now += Duration.ofSeconds(75).toNanos();
        evaluate(within(Duration.ofSeconds(75)));
        now++;
        RequestException old = failure(ask(within(Duration.ofSeconds(75)), LONG));
        assertEquals(ErrorReason.ERROR_REASON_STATE_TOO_OLD, old.reason());
        assertEquals(ObjectKind.OF_PLACEMENT, old.kinds());
        events(bookmark(101));
        assertFalse(refusal(within(Duration.ofSeconds(75))).kinds().contains(ObjectKind.POD));
        list(110);
        evaluate(within(Duration.ofNanos(1)));
        feed.close();
        now += 2;
        assertEquals(
                ErrorReason.ERROR_REASON_STATE_TOO_OLD,
                refusal(within(Duration.ofNanos(1))).reason());
    }

    @Test
    void age_isUnknown_ifNoFeedHasReportedAnything() {
        instance.clusterState().apply(apply(List.of(object(pod("a", "z1")))));
        RequestException unknown = failure(ask(within(LONG), LONG));
        assertEquals(ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN, unknown.reason());
        assertEquals(ObjectKind.OF_PLACEMENT, unknown.kinds());
    }

    private KindStatus statusOfPods() {
        return instance.clusterState()
                .getStatus(GetStatusRequest.getDefaultInstance())
                .getKinds(ObjectKind.POD.ordinal());
    }

    private static Instant time(com.google.protobuf.Timestamp time) {
        return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    }

    @Test
    void status_reportsWhoFeeds_andHowFarThatIs() {
        KindStatus before = statusOfPods();
        assertFalse(before.hasFeedingSince() || before.hasLastEventTime() || before.hasAge());
        now += Duration.ofSeconds(1).toNanos();
        list(100);
        now += Duration.ofSeconds(1).toNanos();
        events(added(pod("a", "z1"), 101));
        now += Duration.ofSeconds(1).toNanos();
        events(bookmark(105));
        now += Duration.ofSeconds(1).toNanos();
        KindStatus status = statusOfPods();
        assertEquals("kube", status.getFeeder());
        assertEquals(MORNING.plusSeconds(1), time(status.getFeedingSince()));
        assertEquals(MORNING.plusSeconds(2), time(status.getLastEventTime()));
        assertEquals(MORNING.plusSeconds(3), time(status.getLastBookmarkTime()));
        assertEquals("101", status.getResourceVersion());
        assertEquals("105", status.getHeldVersion());
        assertEquals(1, status.getAge().getSeconds());
        feed.close();
        KindStatus after = statusOfPods();
        assertFalse(after.hasFeedingSince());
        assertEquals("", after.getFeeder());
        assertEquals("101", after.getResourceVersion());
    }

    @Test
    void objectsAndEvents_areCountedByOutcome() {
        list(100);
        events(added(pod("a", "z1"), 101), added(pod("a", "z1"), 101), added(pod("", "z1"), 102), bookmark(103));
        KindFeedState pods = instance.clusterState().feed(ObjectKind.POD);
        assertEquals(
                List.of(1L, 1L, 1L, 1L),
                List.of(
                        pods.received().applied(),
                        pods.received().unchanged(),
                        pods.refused(),
                        pods.received().bookmarks()));
        assertNull(instance.clusterState().feed(ObjectKind.NODE).received().eventAt());
    }

    @Test
    void listener_hearsOfFeeds_inOrder() {
        List<String> told = new ArrayList<>();
        Set<ObjectKind> pods = EnumSet.of(ObjectKind.POD);
        instance.clusterState().onFeed(new FeedListener() {
            @Override
            public void snapshotBegun(String feeder, Set<ObjectKind> kinds) {
                told.add(feeder + " starts " + new TreeSet<>(kinds));
            }

            @Override
            public void snapshotEnded(String feeder, Map<ObjectKind, Long> versions) {
                told.add(feeder + " ends " + versions);
            }

            @Override
            public void takenOver(String from, String by, Set<ObjectKind> kinds) {
                told.add(by + " takes " + kinds + " from " + from);
            }

            @Override
            public void streamEnded(String feeder, Set<ObjectKind> kinds, Set<ObjectKind> brokenOff, String why) {
                told.add(feeder + " disconnected from " + kinds + ", aborted " + brokenOff + ": " + why);
            }

            @Override
            public void ready(Set<ObjectKind> kinds) {
                told.add(kinds + " ready");
            }
        });
        begin(feed, "kube", pods);
        end(feed, pods, 100);
        try (SyncSession other = instance.clusterState().sync()) {
            begin(other, "other", pods);
        }
        feed.close();
        assertEquals(
                List.of(
                        "kube starts [POD]",
                        "[POD] ready",
                        "kube ends {POD=100}",
                        "other takes [POD] from kube",
                        "other starts [POD]",
                        "other disconnected from [POD], aborted [POD]: its feeder has closed it"),
                told);
    }
}
