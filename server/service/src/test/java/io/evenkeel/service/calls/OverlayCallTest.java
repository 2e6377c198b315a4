package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AddedPod;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfVerdict;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests queries about a hypothetical cluster, with the same overlay in every call. */
final class OverlayCallTest {
    private static final QueryOptions EVERY_NODE =
            QueryOptions.newBuilder().setEveryNode(true).build();

    private final TestServer server = TestServer.start();

    /** Zone z1 has the pods z1-1 and z1-2, zone z2 has z2-1. */
    @BeforeEach
    void feed() {
        server.zones(2, 1);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void podTakenOff_isNotCounted_inAnyCall() {
        for (PodReference reference : List.of(uid("z1-1"), named("z1-1"))) {
            checkCounts(without(reference), Map.of("z1", 1, "z2", 1));
        }
        checkCounts(Overlay.getDefaultInstance(), Map.of("z1", 2, "z2", 1));
    }

    @Test
    void podPutOnInFull_isCounted_inAnyCall() {
        checkCounts(on(AddedPod.newBuilder().setObject(pod("", "z2"))), Map.of("z1", 2, "z2", 2));
        checkCounts(on(AddedPod.newBuilder().setObject(pod("", "z1")).setNode("z2")), Map.of("z1", 2, "z2", 2));
    }

    @Test
    void podPutOnByReference_moves_inAnyCall() {
        checkCounts(on(AddedPod.newBuilder().setReference(uid("z1-1")).setNode("z2")), Map.of("z1", 1, "z2", 2));
        checkCounts(on(AddedPod.newBuilder().setReference(named("z2-1")).setNode("z1")), Map.of("z1", 3, "z2", 0));
    }

    @Test
    void podPutOnWithoutANode_isOnTheJudgedNode_inAWhatIfAlone() {
        Overlay overlay = on(AddedPod.newBuilder().setObject(pod("", "")));
        checkExplained(overlay, Map.of("z1", 2, "z2", 1));
        assertEquals(
                NodeCode.NODE_CODE_SUCCESS,
                whatIf("z2", Overlay.getDefaultInstance()).getCode());
        assertEquals(NodeCode.NODE_CODE_SUCCESS, whatIf("z2", overlay).getCode());
        assertEquals(
                NodeCode.NODE_CODE_UNSCHEDULABLE,
                whatIf("z2", on(overlay.getAdd(0).toBuilder(), overlay.getAdd(0).toBuilder()))
                        .getCode());
    }

    @Test
    void unknownPods_areListed_inAnyCall() {
        Overlay overlay = Overlay.newBuilder()
                .addWithout(uid("nobody"))
                .addWithout(uid("z1-1"))
                .addAdd(AddedPod.newBuilder()
                        .setReference(PodReference.newBuilder().setName("nobody"))
                        .setNode("z2"))
                .build();
        // As in the overlay: without a namespace if it names none.
        List<PodReference> unknown = List.of(
                uid("nobody"), PodReference.newBuilder().setName("nobody").build());
        checkCounts(overlay, Map.of("z1", 1, "z2", 1));
        EvaluateRequest request = request(overlay, AnswerForm.ANSWER_FORM_PACKED);
        assertEquals(unknown, server.placement.evaluate(request).getUnknownPodsList());
        assertEquals(unknown, filter(request).getUnknownPodsList());
        assertEquals(unknown, score(request).getUnknownPodsList());
        assertEquals(unknown, streamed(request).getResponse().getUnknownPodsList());
        assertEquals(unknown, explain(overlay).getUnknownPodsList());
        assertEquals(unknown, whatIf("z1", overlay).getUnknownPodsList());
        assertTrue(server.placement
                .evaluate(request(without(uid("z1-1")), AnswerForm.ANSWER_FORM_PACKED))
                .getUnknownPodsList()
                .isEmpty());
    }

    @Test
    void placedIsReported_ifAPodThatCounted_isTakenOff() {
        assertTrue(explain(without(uid("z1-1"))).getPlaced());
        assertFalse(explain(without(uid("nobody"))).getPlaced());
        assertFalse(explain(on(AddedPod.newBuilder().setReference(uid("z1-1")).setNode("z2")))
                .getPlaced());
    }

    @Test
    void bestAlone_isThatOfTheChangedCluster() {
        for (AnswerForm form : List.of(AnswerForm.ANSWER_FORM_BEST, AnswerForm.ANSWER_FORM_PACKED)) {
            for (int round = 0; round < 2; round++) {
                assertEquals(List.of(1), best(request(Overlay.getDefaultInstance(), form)));
                assertEquals(
                        List.of(0),
                        best(request(
                                on(AddedPod.newBuilder()
                                        .setReference(uid("z1-1"))
                                        .setNode("z2")),
                                form)));
            }
        }
    }

    @Test
    void wrongEntry_isNamedByItsPath_inAnyCall() {
        checkRefused("overlay.without[1]", without(uid("z1-1"), PodReference.getDefaultInstance()));
        checkRefused(
                "overlay.without[0]",
                without(PodReference.newBuilder().setNamespace(NAMESPACE).build()));
        checkRefused("overlay.add[0]", on(AddedPod.newBuilder().setNode("z1")));
        checkRefused(
                "overlay.add[1].reference",
                on(
                        AddedPod.newBuilder().setReference(uid("z1-1")),
                        AddedPod.newBuilder().setReference(PodReference.getDefaultInstance())));
        Pod.Builder labels = Pod.newBuilder();
        for (int i = 0; i <= 10_000; i++) {
            labels.getMetadataBuilder().putLabels("label-" + i, "");
        }
        checkRefused(
                "overlay.add[0].object.metadata.labels",
                on(AddedPod.newBuilder().setObject(labels)));
        checkRefused(
                "overlay.without",
                Overlay.newBuilder()
                        .addAllWithout(Collections.nCopies(10_001, uid("z1-1")))
                        .build());
        checkRefused(
                "overlay.add",
                Overlay.newBuilder()
                        .addAllAdd(Collections.nCopies(
                                10_001,
                                AddedPod.newBuilder().setReference(uid("z1-1")).build()))
                        .build());
    }

    private void checkRefused(String field, Overlay overlay) {
        EvaluateRequest request = request(overlay, AnswerForm.ANSWER_FORM_READABLE);
        TestServer.assertRefused(field, () -> server.placement.evaluate(request));
        TestServer.assertRefused(field, () -> filter(request));
        TestServer.assertRefused(field, () -> score(request));
        TestServer.assertRefused(field, () -> explain(overlay));
        assertEquals(field, streamed(request).getError().getViolations(0).getField());
        assertEquals(
                field,
                server.placement
                        .whatIf(whatIfRequest("z1", overlay))
                        .getAnswers(0)
                        .getError()
                        .getViolations(0)
                        .getField());
        checkCounts(Overlay.getDefaultInstance(), Map.of("z1", 2, "z2", 1));
    }

    /** Checks the pods of each zone in every call. */
    private void checkCounts(Overlay overlay, Map<String, Integer> pods) {
        checkExplained(overlay, pods);
        int least = Math.min(pods.getOrDefault("z1", 0), pods.getOrDefault("z2", 0));
        Map<String, NodeCode> codes = new TreeMap<>();
        pods.forEach((zone, count) ->
                codes.put(zone, count == least ? NodeCode.NODE_CODE_SUCCESS : NodeCode.NODE_CODE_UNSCHEDULABLE));
        EvaluateRequest request = request(overlay, AnswerForm.ANSWER_FORM_READABLE);
        EvaluateResponse evaluated = server.placement.evaluate(request);
        assertEquals(codes, codes(evaluated.getAnswers(0).getReadable()));
        assertEquals(codes, codes(filter(request).getAnswers(0).getReadable()));
        assertEquals(evaluated, streamed(request).getResponse());
        codes.forEach((zone, code) -> assertEquals(code, whatIf(zone, overlay).getCode()));
        // The second pod has a soft constraint: the zone with fewer pods has the better score.
        Map<String, Integer> scores = new TreeMap<>();
        score(request)
                .getAnswers(1)
                .getReadable()
                .getVerdictsList()
                .forEach(verdict -> scores.put(verdict.getName(), verdict.getScore()));
        assertEquals(
                Integer.signum(pods.getOrDefault("z2", 0) - pods.getOrDefault("z1", 0)),
                Integer.signum(scores.getOrDefault("z1", 0) - scores.getOrDefault("z2", 0)));
    }

    private void checkExplained(Overlay overlay, Map<String, Integer> pods) {
        Map<String, Long> explained = new TreeMap<>();
        for (DomainExplanation domain : explain(overlay).getConstraints(0).getDomainsList()) {
            explained.put(domain.getValue(), domain.getMatchingPodCount());
        }
        assertEquals(new TreeMap<>(pods).toString(), explained.toString());
    }

    private static Map<String, NodeCode> codes(ReadableAnswer answer) {
        Map<String, NodeCode> codes = new TreeMap<>();
        answer.getVerdictsList().forEach(verdict -> codes.put(verdict.getName(), verdict.getCode()));
        return codes;
    }

    private List<Integer> best(EvaluateRequest request) {
        EvaluateResponse response = server.placement.evaluate(request);
        return request.getOptions().getForm() == AnswerForm.ANSWER_FORM_BEST
                ? response.getAnswers(0).getBest().getBestIndexesList()
                : response.getAnswers(0).getPacked().getBestIndexesList();
    }

    /** A request for a pod with a hard constraint and one with a soft constraint. */
    private static EvaluateRequest request(Overlay overlay, AnswerForm form) {
        boolean readable = form == AnswerForm.ANSWER_FORM_READABLE;
        EvaluateRequest.Builder request = EvaluateRequest.newBuilder()
                .addPods(web(hard(ZONE)))
                .addPods(web(soft(ZONE)))
                .setOptions(
                        readable
                                ? EVERY_NODE
                                : QueryOptions.newBuilder().setForm(form).build());
        return overlay.equals(Overlay.getDefaultInstance())
                ? request.build()
                : request.setOverlay(overlay).build();
    }

    private FilterResponse filter(EvaluateRequest request) {
        return server.placement.filter(FilterRequest.newBuilder()
                .addAllPods(request.getPodsList())
                .setOptions(request.getOptions())
                .setOverlay(request.getOverlay())
                .build());
    }

    private ScoreResponse score(EvaluateRequest request) {
        return server.placement.score(ScoreRequest.newBuilder()
                .addAllPods(request.getPodsList())
                .setOptions(request.getOptions())
                .setOverlay(request.getOverlay())
                .build());
    }

    private EvaluateStreamResponse streamed(EvaluateRequest request) {
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream =
                PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
        try {
            stream.write(TestServer.onStream(7, request));
            EvaluateStreamResponse response = Objects.requireNonNull(stream.read());
            stream.halfClose();
            return response;
        } catch (InterruptedException | StatusException e) {
            throw new AssertionError(e);
        }
    }

    private ExplainResponse explain(Overlay overlay) {
        return server.placement.explain(ExplainRequest.newBuilder()
                .setPod(web(hard(ZONE)))
                .setOverlay(overlay)
                .build());
    }

    private WhatIfVerdict whatIf(String node, Overlay overlay) {
        return server.placement
                .whatIf(whatIfRequest(node, overlay))
                .getAnswers(0)
                .getVerdict();
    }

    private static WhatIfRequest whatIfRequest(String node, Overlay overlay) {
        return WhatIfRequest.newBuilder()
                .setPod(web(hard(ZONE)))
                .addCases(WhatIfCase.newBuilder().setNode(node).setOverlay(overlay))
                .build();
    }

    private static Overlay without(PodReference... pods) {
        return Overlay.newBuilder().addAllWithout(List.of(pods)).build();
    }

    private static Overlay on(AddedPod.Builder... pods) {
        List<AddedPod> added = new ArrayList<>();
        for (AddedPod.Builder pod : pods) {
            added.add(pod.build());
        }
        return Overlay.newBuilder().addAllAdd(added).build();
    }

    private static PodReference uid(String uid) {
        return PodReference.newBuilder().setUid(uid).build();
    }

    private static PodReference named(String name) {
        return PodReference.newBuilder().setNamespace(NAMESPACE).setName(name).build();
    }
}
