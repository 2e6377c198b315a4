package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.added;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.event;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import io.evenkeel.engine.Await;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.lock.LockProbe;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.StatusCode;
import io.evenkeel.placement.change.Feeder;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeNames;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the calls of an instance without a transport. */
final class InstanceTest {
    private static final SyncRequest BEGIN = SyncRequest.newBuilder()
            .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
            .build();
    private static final SyncRequest END = SyncRequest.newBuilder()
            .setEndSnapshot(EndSnapshot.getDefaultInstance())
            .build();

    private final Instance instance = new Instance(InstanceOptions.standard());

    @AfterEach
    void index_isWhatARecountSays() {
        IndexValidator.validate(instance.engine());
        instance.close();
    }

    @Test
    void anEvaluateOfAKnownPod_takesTheLockOnce() {
        feed(2, 1);
        byte[] request =
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build().toByteArray();
        AtomicInteger reads = new AtomicInteger();
        AtomicInteger writes = new AtomicInteger();
        try {
            evaluate(request);
            instance.engine().probeHolds(new LockProbe() {
                @Override
                public long now() {
                    return System.nanoTime();
                }

                @Override
                public void held(boolean writing, long nanos) {
                    (writing ? writes : reads).incrementAndGet();
                }
            });
            evaluate(request);
        } finally {
            instance.engine().probeHolds(null);
        }
        assertEquals(List.of(1, 0), List.of(reads.get(), writes.get()));
    }

    private void evaluate(byte[] request) {
        try {
            PodQuery query = Queries.of(instance.placement()).read(PodQuery.Kind.EVALUATE, request);
            assertTrue(Queries.of(instance.placement()).prepare(query).answer().size() > 0);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void query_isUnavailable_untilAStateIsGiven() {
        RequestException refused = assertThrows(
                RequestException.class,
                () -> Queries.of(instance.placement())
                        .prepare(filter(web(hard(ZONE))))
                        .answer());
        assertEquals(StatusCode.UNAVAILABLE, refused.code());
        assertEquals("no cluster state has been received yet", refused.getMessage());
        List<Boolean> told = new ArrayList<>();
        instance.clusterState().onReadiness(told::add);
        feed(2, 1);
        assertTrue(instance.clusterState().isReady());
        assertEquals(List.of(false, true), told);
        assertEquals(
                1,
                Queries.of(instance.placement())
                        .prepare(filter(web(hard(ZONE))))
                        .answer()
                        .getAnswers(0)
                        .getReadable()
                        .getPassedCount());
    }

    @Test
    void endOfASnapshot_removesInSteps_andIsAcknowledgedAfterTheLast() {
        int pods = 20_000;
        List<ClusterObject> objects = new ArrayList<>(zones(0, 0));
        for (int i = 0; i < pods; i++) {
            objects.add(object(pod("pod-" + i, "z1")));
        }
        try (SyncSession session = instance.clusterState().sync()) {
            session.handle(BEGIN);
            for (int from = 0; from < objects.size(); from += 1_000) {
                List<ClusterObject> some = objects.subList(from, Math.min(objects.size(), from + 1_000));
                session.handle(SyncRequest.newBuilder()
                        .setObjects(Objects.newBuilder().addAllObjects(some))
                        .build());
            }
            assertEquals(0, session.handle(END).getRemovedCount());
            long before = session.handle(BEGIN).getRevision().getCounter();
            SyncResponse end = session.handle(END);
            assertEquals(pods + 2, end.getRemovedCount());
            assertTrue(end.getRevision().getCounter() > before + 1, "each step is a revision");
            assertTrue(instance.clusterState().isReady());
        }
    }

    @Test
    void refusedEventsAlone_giveNoState() {
        ApplyResponse response = instance.clusterState().apply(apply(List.of(object(pod("", "z1")))));
        assertEquals(1, response.getRefusalsCount());
        assertFalse(instance.clusterState().isReady());
    }

    @Test
    void eventsThatChangeNothing_giveNoState() {
        instance.clusterState().apply(ApplyRequest.getDefaultInstance());
        assertFalse(instance.clusterState().isReady());
        instance.clusterState()
                .apply(ApplyRequest.newBuilder()
                        .addEvents(deleted(object(pod("unheard-of", "z1"))))
                        .build());
        assertFalse(instance.clusterState().isReady());
        feed(2, 1);
        assertTrue(instance.clusterState().isReady());
    }

    @Test
    void events_makeKindsReady_ofWhichNoFeedHasReported_unlessSnapshotsAreExpected() {
        try (SyncSession nodes = instance.clusterState().sync()) {
            nodes.handle(SyncRequest.newBuilder()
                    .setBeginSnapshot(BeginSnapshot.newBuilder().addKinds(ObjectKind.OBJECT_KIND_NODE))
                    .build());
            nodes.handle(END);
        }
        instance.clusterState().expectSnapshots();
        feed(2, 1);
        assertFalse(instance.clusterState().isReady());
        try (SyncSession whole = instance.clusterState().sync()) {
            whole.handle(BEGIN);
            whole.handle(END);
        }
        assertTrue(instance.clusterState().isReady());
    }

    @Test
    void firstSnapshotThatBrokeOff_isCompletedByAWholeOneAlone() {
        try (SyncSession broken = instance.clusterState().sync()) {
            broken.handle(BEGIN);
            broken.handle(objects(zones(2, 1)));
            feed(0, 0, 1);
        }
        feed(0, 0, 0, 1);
        assertFalse(instance.clusterState().isReady());
        RequestException refused = assertThrows(
                RequestException.class,
                () -> Queries.of(instance.placement())
                        .prepare(filter(web(hard(ZONE))))
                        .answer());
        assertEquals(StatusCode.UNAVAILABLE, refused.code());
        assertEquals("the first snapshot was aborted; waiting for a complete one", refused.getMessage());
        try (SyncSession whole = instance.clusterState().sync()) {
            whole.handle(BEGIN);
            assertFalse(instance.clusterState().isReady());
            whole.handle(END);
        }
        assertTrue(instance.clusterState().isReady());
        assertEquals(0, instance.engine().status().nodes());
    }

    @Test
    void podAssumedOnAnUnknownNode_namesIt_andCountsOnceTheNodeComes() {
        feed(1);
        AssumeResponse response = instance.clusterState()
                .assume(AssumeRequest.newBuilder()
                        .addPods(AssumedPod.newBuilder().setPod(pod("a", "")).setNode("z9"))
                        .addPods(AssumedPod.newBuilder().setPod(pod("b", "")).setNode("z1"))
                        .addPods(AssumedPod.newBuilder().setPod(pod("c", "")).setNode("z9"))
                        .build());
        assertEquals(List.of("z9"), response.getUnknownNodesList());
        assertEquals(2, instance.engine().status().countedPods());
        instance.clusterState().apply(apply(List.of(object(node("z9", "z9")))));
        assertEquals(4, instance.engine().status().countedPods());
    }

    @Test
    void terminatingPodThatIsAssumed_isReportedAsNotCounted() {
        feed(1);
        Pod.Builder terminating = pod("a", "").toBuilder();
        terminating.getMetadataBuilder().setDeletionTimestamp(Timestamp.getDefaultInstance());
        instance.clusterState().apply(apply(List.of(object(terminating.build()))));
        AssumeResponse response = instance.clusterState()
                .assume(AssumeRequest.newBuilder()
                        .addPods(AssumedPod.newBuilder().setPod(pod("a", "")).setNode("z1"))
                        .addPods(AssumedPod.newBuilder().setPod(pod("b", "")).setNode("z1"))
                        .build());
        assertEquals(List.of("a"), response.getUncountedUidsList());
        assertEquals(2, instance.engine().status().countedPods());
    }

    @Test
    void podAssumedOnAnotherNodeThanTheWatchShows_isRefused() {
        feed(1, 0);
        AssumeResponse response = instance.clusterState()
                .assume(AssumeRequest.newBuilder()
                        .addPods(AssumedPod.newBuilder().setPod(pod("z1-1", "")).setNode("z1"))
                        .addPods(AssumedPod.newBuilder().setPod(pod("z1-1", "")).setNode("z2"))
                        .addPods(AssumedPod.newBuilder().setPod(pod("new", "")).setNode("z2"))
                        .build());
        assertEquals(1, response.getRefusalsCount());
        assertEquals(1, response.getRefusals(0).getPosition());
        assertEquals(
                ErrorReason.ERROR_REASON_POD_BOUND,
                response.getRefusals(0).getError().getReason());
        assertEquals(List.of("z1-1", "z1-1"), response.getBoundUidsList());
        assertEquals(1, response.getAssumedCount());
    }

    @ParameterizedTest
    @EnumSource(
            names = {"UNRECOGNIZED", "ANSWER_FORM_UNSPECIFIED"},
            mode = EnumSource.Mode.EXCLUDE)
    void candidatesThatAreUnknown_areCountedInEachAnswer(AnswerForm form) {
        feed(1, 0);
        EvaluateRequest request = EvaluateRequest.newBuilder()
                .addPods(web(hard(ZONE)))
                .addPods(web(soft(ZONE)))
                .setOptions(QueryOptions.newBuilder()
                        .setForm(form)
                        .setCandidates(Candidates.newBuilder()
                                .setNamed(NodeNames.newBuilder().addNames("z8").addNames("z9"))))
                .build();
        EvaluateResponse response =
                Queries.of(instance.placement()).prepare(request).answer();
        assertEquals(2, response.getUnknownCandidatesCount());
        for (PodAnswer answer : response.getAnswersList()) {
            assertEquals(
                    2,
                    answer.getReadable().getUnknownCandidateCount()
                            + answer.getPacked().getUnknownCandidateCount()
                            + answer.getBest().getUnknownCandidateCount());
        }
    }

    @Test
    void constraintsThatAreNew_areBoundedForACall_byItem() {
        InstanceOptions few = InstanceOptions.standard()
                .withLimits(Limits.builder().constraints(6).newConstraints(2).build());
        try (Instance bounded = new Instance(few)) {
            bounded.clusterState().apply(apply(zones(2, 1)));
            FilterRequest request = filter(web(hard(ZONE)), web(soft(ZONE)), web(hard(ZONE), soft(ZONE)));
            FilterResponse response =
                    Queries.of(bounded.placement()).prepare(request).answer();
            assertEquals(1, response.getAnswers(0).getReadable().getPassedCount());
            assertEquals(2, response.getAnswers(1).getReadable().getPassedCount());
            ItemError refused = response.getAnswers(2).getError();
            assertEquals(StatusCode.RESOURCE_EXHAUSTED.number(), refused.getCode());
            assertEquals(
                    "spec.topologySpreadConstraints", refused.getViolations(0).getField());
            assertEquals(
                    1,
                    Queries.of(bounded.placement())
                            .prepare(request)
                            .answer()
                            .getAnswers(2)
                            .getReadable()
                            .getPassedCount(),
                    "the others are known now, so there is room for it");
            FilterRequest tooMany =
                    request.toBuilder().addAllPods(request.getPodsList()).build();
            RequestException whole = assertThrows(
                    RequestException.class,
                    () -> Queries.of(bounded.placement()).prepare(tooMany).answer());
            assertEquals(StatusCode.RESOURCE_EXHAUSTED, whole.code());
            assertEquals("pods", whole.violations().get(0).getField());
        }
    }

    /** Some of them are cached, and would be the first to be evicted. */
    @Test
    void batchOfMoreKindsThanPlansAreKept_hasEachCompiledOnce() {
        try (Instance small = new Instance(
                InstanceOptions.standard().withEngine(EngineOptions.defaults().withMaxPlans(16)))) {
            small.clusterState().apply(apply(zones(2, 1)));
            FilterRequest few = filter(kinds(0, 16));
            FilterRequest all = filter(kinds(0, 64));
            assertEquals(
                    16,
                    answered(Queries.of(small.placement()).prepare(few).answer().getAnswersList()));
            assertEquals(
                    64,
                    answered(Queries.of(small.placement()).prepare(all).answer().getAnswersList()));
            assertEquals(64, small.engine().plansCompiled());
            assertEquals(64, small.placement().planMisses());
            assertEquals(16, small.engine().status().plans());
            for (Pod kind : kinds(100, 64)) {
                WhatIfRequest one = WhatIfRequest.newBuilder()
                        .setPod(kind)
                        .addCases(WhatIfCase.newBuilder().setNode("z2"))
                        .build();
                assertEquals(
                        NodeCode.NODE_CODE_SUCCESS,
                        Queries.of(small.placement())
                                .prepare(one)
                                .answer()
                                .getAnswers(0)
                                .getVerdict()
                                .getCode());
            }
            assertEquals(128, small.engine().plansCompiled());
            assertEquals(16, small.engine().status().plans());
            IndexValidator.validate(small.engine());
        }
    }

    @Test
    void batchThatIsStopped_letsItsPlansGo() {
        try (Instance small = new Instance(
                InstanceOptions.standard().withEngine(EngineOptions.defaults().withMaxPlans(16)))) {
            small.clusterState().apply(apply(zones(2, 1)));
            Prepared<FilterResponse> batch = Queries.of(small.placement()).prepare(filter(kinds(0, 64)));
            assertThrows(
                    CancellationException.class,
                    () -> batch.answer(() -> small.engine().plansCompiled() == 40));
            assertEquals(40, small.engine().plansCompiled());
            assertEquals(16, small.engine().status().plans());
            assertEquals(
                    64,
                    answered(Queries.of(small.placement())
                            .prepare(filter(kinds(0, 64)))
                            .answer()
                            .getAnswersList()));
            IndexValidator.validate(small.engine());
        }
    }

    private static long answered(List<PodAnswer> answers) {
        return answers.stream()
                .filter(answer -> !answer.hasError() && answer.getReadable().getPassedCount() == 1)
                .count();
    }

    /** Pods that each tolerate a different taint, and fit only in the second zone. */
    private static Pod[] kinds(int from, int count) {
        Pod[] pods = new Pod[count];
        for (int i = 0; i < count; i++) {
            Pod pod = web(hard(ZONE));
            pods[i] = pod.toBuilder()
                    .setSpec(pod.getSpec().toBuilder()
                            .addTolerations(Toleration.newBuilder().setKey("kind-" + (from + i))))
                    .build();
        }
        return pods;
    }

    @Test
    void explanation_isRefused_ifItsPodHasTooManyNewConstraints_butNotForWhatIsTriedOut() {
        InstanceOptions few = InstanceOptions.standard()
                .withLimits(Limits.builder().constraints(6).newConstraints(1).build());
        try (Instance bounded = new Instance(few)) {
            bounded.clusterState().apply(apply(zones(2, 2)));
            RequestException refused = assertThrows(
                    RequestException.class,
                    () -> Queries.of(bounded.placement())
                            .prepare(ExplainRequest.newBuilder()
                                    .setPod(web(hard(ZONE), hard(HOSTNAME)))
                                    .build())
                            .answer());
            assertEquals(StatusCode.RESOURCE_EXHAUSTED, refused.code());
            assertEquals(
                    "pod.spec.topologySpreadConstraints",
                    refused.violations().get(0).getField());
            assertEquals(0, bounded.engine().status().plans());
            RequestException asIf = assertThrows(
                    RequestException.class,
                    () -> Queries.of(bounded.placement())
                            .prepare(WhatIfRequest.newBuilder()
                                    .setPod(web(hard(ZONE), hard(HOSTNAME)))
                                    .addCases(WhatIfCase.newBuilder().setNode("z1"))
                                    .build())
                            .answer());
            assertEquals(refused.violations(), asIf.violations());
            Pod stored = pod("web-of-the-cluster", "unknown");
            bounded.clusterState()
                    .apply(apply(List.of(object(stored.toBuilder()
                            .setSpec(stored.getSpec().toBuilder()
                                    .addTopologySpreadConstraints(hard(ZONE))
                                    .addTopologySpreadConstraints(hard(HOSTNAME)))
                            .build()))));
            RequestException ofReference = assertThrows(
                    RequestException.class,
                    () -> Queries.of(bounded.placement())
                            .prepare(ExplainRequest.newBuilder()
                                    .setPodReference(PodReference.newBuilder().setUid("web-of-the-cluster"))
                                    .build())
                            .answer());
            assertEquals(
                    "podReference.spec.topologySpreadConstraints",
                    ofReference.violations().get(0).getField());
            // It fits nowhere, so that other constraints are tried for it.
            Pod stuck = web(hard(ZONE).toBuilder().setMinDomains(3).build());
            ExplainResponse explained = Queries.of(bounded.placement())
                    .prepare(ExplainRequest.newBuilder().setPod(stuck).build())
                    .answer();
            assertEquals(0, explained.getPassedCount());
            assertEquals(1, bounded.engine().plansCompiled());
            IndexValidator.validate(bounded.engine());
        }
    }

    @Test
    void query_endsSoon_onceNoOneWaitsForIt() {
        feed(2, 1);
        int[] asked = new int[1];
        Prepared<FilterResponse> prepared =
                Queries.of(instance.placement()).prepare(filter(web(hard(ZONE)), web(soft(ZONE)), web(hard(HOSTNAME))));
        assertThrows(CancellationException.class, () -> prepared.answer(() -> ++asked[0] > 1));
        assertTrue(instance.placement().planMisses() < 3);
    }

    @Test
    void podsThatAreAlike_shareOneAnswer() {
        feed(2, 1, 1);
        Pod replica = web(hard(ZONE));
        Pod another = replica.toBuilder()
                .setMetadata(replica.getMetadata().toBuilder().setName("web-7").setUid("7"))
                .build();
        FilterResponse response = Queries.of(instance.placement())
                .prepare(filter(replica, web(soft(ZONE)), another))
                .answer();
        assertEquals(response.getAnswers(0), response.getAnswers(2));
        assertEquals(2, response.getAnswers(0).getReadable().getPassedCount());
        assertEquals(3, response.getAnswers(1).getReadable().getPassedCount());
        assertEquals(2, instance.placement().planMisses());
        assertEquals(3, instance.placement().podsJudged());
    }

    @Test
    void query_isShort_onceItsPlanIsKnown() {
        feed(2, 1);
        FilterRequest request = filter(web(hard(ZONE)));
        assertFalse(Queries.of(instance.placement()).prepare(request).isShort());
        Queries.of(instance.placement()).prepare(request).answer();
        assertTrue(Queries.of(instance.placement()).prepare(request).isShort());
    }

    @Test
    void evaluate_namesTheBest_equalScoresByLowerIndex() {
        feed(2, 1, 1);
        EvaluateResponse response = Queries.of(instance.placement())
                .prepare(EvaluateRequest.newBuilder().addPods(web(soft(ZONE))).build())
                .answer();
        assertEquals(
                List.of("z2", "z3", "z1"),
                response.getAnswers(0).getReadable().getBestList().stream()
                        .map(NodeScore::getName)
                        .toList());
    }

    @Test
    void demandedRevision_holdsTheCallUntilItIsReached() throws Exception {
        Revision now = feed(2, 1);
        Revision next = now.toBuilder().setCounter(now.getCounter() + 1).build();
        Freshness freshness = Freshness.newBuilder().setRevision(next).build();
        FilterRequest request =
                filter(web(hard(ZONE))).toBuilder().setFreshness(freshness).build();
        PlacementHandler placement = instance.placement();
        FutureCall<ResponseBytes> answer = new FutureCall<>(Duration.ofMinutes(1));
        placement.filter().handle(placement.filter().parse(request.toByteArray(), answer), answer);
        assertFalse(answer.isDone());
        instance.clusterState().apply(apply(List.of(object(pod("one-more", "z2")))));
        assertEquals(
                next.getCounter(),
                answer.get().parse(FilterResponse.parser()).getRevision().getCounter());
    }

    @Test
    void pendingPodWithConstraints_countsAsSeen() throws InterruptedException {
        feed(2, 1);
        Pod pending = pod("waiting", "").toBuilder()
                .setSpec(web(hard(ZONE)).getSpec())
                .build();
        instance.clusterState().apply(apply(List.of(object(pending))));
        Await.until(() -> instance.engine().status().plans() != 0);
        assertTrue(Queries.of(instance.placement()).prepare(filter(pending)).isShort());
    }

    @Test
    void eventsOfManySlices_areAllApplied_exceptTheRefused() {
        feed(0, 0);
        ApplyRequest.Builder many = ApplyRequest.newBuilder();
        for (int i = 0; i < 3 * Feeder.SLICE; i++) {
            many.addEvents(added(object(pod(i % 100 == 7 ? "" : "pod-" + i, "z1"))));
        }
        many.addEvents(event(ClusterEvent.Type.TYPE_UNSPECIFIED, object(pod("late", "z1"))));
        ApplyResponse response = instance.clusterState().apply(many.build());
        assertEquals(8 + 1, response.getRefusalsCount());
        assertEquals(107, response.getRefusals(1).getPosition());
        assertEquals(
                "object.pod.metadata.name",
                response.getRefusals(1).getError().getViolations(0).getField());
        assertEquals("type", response.getRefusals(8).getError().getViolations(0).getField());
        assertEquals("shop/late", response.getRefusals(8).getObject());
        assertEquals(3 * Feeder.SLICE - 8, response.getAppliedCount());
        assertEquals(response.getAppliedCount(), instance.engine().status().countedPods());
    }

    private static SyncRequest objects(List<ClusterObject> objects) {
        return SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addAllObjects(objects))
                .build();
    }

    private Revision feed(int... podsPerZone) {
        return instance.clusterState().apply(apply(zones(podsPerZone))).getRevision();
    }
}
