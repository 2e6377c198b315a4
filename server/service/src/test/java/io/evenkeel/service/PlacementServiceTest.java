package io.evenkeel.service;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.constraint;
import static io.evenkeel.placement.Messages.cordoned;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.v1.AddedPod;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.BestAnswer;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.EnterableNodes;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ForgetNodeSetRequest;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeNames;
import io.evenkeel.v1.NodeReason;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.RegisterNodeSetResponse;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import io.evenkeel.v1.WhatIfAnswer;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the calls of Placement with a real server. */
final class PlacementServiceTest {
    private static final String SKEWED = "node(s) didn't match pod topology spread constraints";

    private final TestServer server = TestServer.start(
            InstanceOptions.standard().withLimits(Limits.builder().nodeSets(2).build()));

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void filter_countsByReason_andListsEveryNodeWhenAsked() {
        server.zones(2, 1, 1);
        server.clusterState.apply(apply(List.of(object(node("bare", Map.of())))));
        FilterResponse response = server.placement.filter(filter(web(hard(ZONE))).toBuilder()
                .setOptions(QueryOptions.newBuilder().setEveryNode(true))
                .build());
        assertEquals(server.status().getRevision(), response.getRevision());
        assertEquals(server.status().getNodeTableToken(), response.getNodeTableToken());
        PodAnswer answer = response.getAnswers(0);
        assertEquals(4, answer.getReadable().getCandidateCount());
        assertEquals(2, answer.getReadable().getPassedCount());
        assertEquals(1, answer.getReadable().getHardConstraintCount());
        assertEquals(0, answer.getReadable().getSoftConstraintCount());
        assertEquals(0, answer.getReadable().getBestCount());
        assertEquals(
                List.of(
                        reason(NodeReason.NODE_REASON_MISSING_LABEL, SKEWED + " (missing required label)", 1),
                        reason(NodeReason.NODE_REASON_MAX_SKEW, SKEWED, 1)),
                answer.getReadable().getReasonsList());
        assertEquals(
                List.of(
                        verdict("z1", 0, NodeCode.NODE_CODE_UNSCHEDULABLE, NodeReason.NODE_REASON_MAX_SKEW, SKEWED),
                        verdict("z2", 1, NodeCode.NODE_CODE_SUCCESS, NodeReason.NODE_REASON_UNSPECIFIED, ""),
                        verdict("z3", 2, NodeCode.NODE_CODE_SUCCESS, NodeReason.NODE_REASON_UNSPECIFIED, ""),
                        verdict(
                                "bare",
                                3,
                                NodeCode.NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE,
                                NodeReason.NODE_REASON_MISSING_LABEL,
                                SKEWED + " (missing required label)")),
                answer.getReadable().getVerdictsList());
    }

    @Test
    void evaluate_filtersThenScoresWhatPassed_scoreTakesTheCandidatesAsTheyAre() {
        server.zones(3, 2, 0);
        Pod pod = web(constraint(ZONE, 3, "DoNotSchedule"), soft(HOSTNAME));
        PodAnswer evaluated = server.placement
                .evaluate(EvaluateRequest.newBuilder().addPods(pod).build())
                .getAnswers(0);
        assertEquals(2, evaluated.getReadable().getPassedCount());
        assertEquals(1, evaluated.getReadable().getHardConstraintCount());
        assertEquals(1, evaluated.getReadable().getSoftConstraintCount());
        assertEquals(
                List.of(score("z3", 2, 100), score("z2", 1, 0)),
                evaluated.getReadable().getBestList());

        PodAnswer scored = server.placement
                .score(ScoreRequest.newBuilder()
                        .addPods(pod)
                        .setOptions(QueryOptions.newBuilder().setMaxBest(2))
                        .build())
                .getAnswers(0);
        assertEquals(3, scored.getReadable().getPassedCount());
        assertEquals(
                List.of(score("z3", 2, 100), score("z2", 1, 40)),
                scored.getReadable().getBestList());
    }

    @Test
    void packedAnswer_saysWhatTheReadableOneSays() {
        server.zones(2, 0, 1, 0, 0, 0, 0, 0, 0, 1);
        server.clusterState.apply(apply(List.of(object(node("bare", Map.of())))));
        Pod pod = web(hard(ZONE), soft(HOSTNAME));
        EvaluateRequest.Builder request = EvaluateRequest.newBuilder()
                .addPods(pod)
                .setOptions(QueryOptions.newBuilder().setEveryNode(true).setMaxBest(3));
        PodAnswer readable = server.placement.evaluate(request.build()).getAnswers(0);
        request.getOptionsBuilder().setForm(AnswerForm.ANSWER_FORM_PACKED).setEveryNode(false);
        PodAnswer answer = server.placement.evaluate(request.build()).getAnswers(0);
        PackedAnswer packed = answer.getPacked();
        assertEquals(readable.getReadable().getPassedCount(), packed.getPassedCount());
        assertEquals(readable.getReadable().getCandidateCount(), packed.getCandidateCount());
        assertEquals(1, packed.getHardConstraintCount());
        assertEquals(1, packed.getSoftConstraintCount());
        assertEquals(2, packed.getPassed().size());
        assertEquals(11, packed.getScores().size());
        assertEquals(
                readable.getReadable().getBestList().stream()
                        .map(NodeScore::getIndex)
                        .toList(),
                packed.getBestIndexesList());
        for (NodeVerdict node : readable.getReadable().getVerdictsList()) {
            int index = node.getIndex();
            boolean passed = (packed.getPassed().byteAt(index >> 3) >> (index & 7) & 1) == 1;
            boolean unresolvable = (packed.getUnresolvable().byteAt(index >> 3) >> (index & 7) & 1) == 1;
            assertEquals(node.getCode() == NodeCode.NODE_CODE_SUCCESS, passed, node.getName());
            assertEquals(
                    node.getCode() == NodeCode.NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE, unresolvable, node.getName());
            assertEquals(node.getScore(), packed.getScores().byteAt(index), node.getName());
        }
    }

    @Test
    void bestForm_namesTheNodesThatTheReadableOneNames_andNothingElse() {
        server.zones(2, 0, 1, 0, 0, 0, 0, 0, 0, 1);
        for (Pod pod : List.of(
                web(hard(ZONE), soft(HOSTNAME)), web(soft(ZONE), soft(HOSTNAME)), web(hard(ZONE), hard(HOSTNAME)))) {
            EvaluateRequest.Builder request = EvaluateRequest.newBuilder()
                    .addPods(pod)
                    .setOptions(QueryOptions.newBuilder().setMaxBest(3));
            PodAnswer readable = server.placement.evaluate(request.build()).getAnswers(0);
            request.getOptionsBuilder().setForm(AnswerForm.ANSWER_FORM_BEST);
            BestAnswer answer =
                    server.placement.evaluate(request.build()).getAnswers(0).getBest();
            boolean scored = readable.getReadable().getSoftConstraintCount() > 0;
            assertEquals(readable.getReadable().getSoftConstraintCount(), answer.getSoftConstraintCount());
            assertEquals(readable.getReadable().getHardConstraintCount(), answer.getHardConstraintCount());
            assertEquals(
                    readable.getReadable().getBestList().stream()
                            .map(NodeScore::getIndex)
                            .toList(),
                    answer.getBestIndexesList());
            byte[] scores = answer.getBestScores().toByteArray();
            assertEquals(scored ? readable.getReadable().getBestCount() : 0, scores.length);
            for (int rank = 0; rank < scores.length; rank++) {
                assertEquals(readable.getReadable().getBest(rank).getScore(), scores[rank]);
            }
        }
    }

    @Test
    void bestForm_ofFilter_isRefused() {
        server.zones(1);
        FilterRequest request = filter(web(hard(ZONE))).toBuilder()
                .setOptions(QueryOptions.newBuilder().setForm(AnswerForm.ANSWER_FORM_BEST))
                .build();
        StatusRuntimeException refused =
                assertThrows(StatusRuntimeException.class, () -> server.placement.filter(request));
        assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
        assertTrue(String.valueOf(refused.getMessage()).contains("options.form"), refused::toString);
    }

    @Test
    void badPod_getsItsOwnError_andTheOthersTheirAnswers() {
        server.zones(2, 1);
        FilterResponse response =
                server.placement.filter(filter(web(constraint(ZONE, 0, "Maybe")), web(hard(ZONE)), web(hard(""))));
        PodAnswer bad = response.getAnswers(0);
        assertEquals(Status.Code.INVALID_ARGUMENT.value(), bad.getError().getCode());
        assertEquals(
                "maxSkew must be at least 1, was 0 (spec.topologySpreadConstraints[0].maxSkew); "
                        + "whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway, was \"Maybe\" "
                        + "(spec.topologySpreadConstraints[0].whenUnsatisfiable)",
                bad.getError().getMessage());
        assertEquals(
                "spec.topologySpreadConstraints[0].maxSkew",
                bad.getError().getViolations(0).getField());
        assertEquals(1, response.getAnswers(1).getReadable().getPassedCount());
        assertEquals(
                "spec.topologySpreadConstraints[0].topologyKey",
                response.getAnswers(2).getError().getViolations(0).getField());
    }

    @Test
    void candidates_areAllNamedEnterableOrOfASet() {
        server.zones(1, 1, 1, 1);
        server.clusterState.apply(apply(List.of(object(cordoned(node("z5", "z5"))))));
        assertEquals(5, passed(Candidates.newBuilder().setAll(AllNodes.getDefaultInstance())));
        assertEquals(4, passed(Candidates.newBuilder().setEnterable(EnterableNodes.getDefaultInstance())));
        NodeNames names = NodeNames.newBuilder()
                .addNames("z2")
                .addNames("z9")
                .addNames("z2")
                .build();
        FilterResponse named = ask(Candidates.newBuilder().setNamed(names));
        assertEquals(1, named.getAnswers(0).getReadable().getCandidateCount());
        assertEquals(List.of("z9"), named.getUnknownCandidatesList());

        RegisterNodeSetResponse set = server.placement.registerNodeSet(RegisterNodeSetRequest.newBuilder()
                .addNames("z9")
                .addNames("z1")
                .build());
        assertEquals(List.of("z9"), set.getUnknownNamesList());
        assertEquals(1, passed(Candidates.newBuilder().setNodeSetId(set.getNodeSetId())));
        server.clusterState.apply(apply(List.of(object(node("z9", "z9")))));
        assertEquals(2, passed(Candidates.newBuilder().setNodeSetId(set.getNodeSetId())));
    }

    @Test
    void nodeSet_isGone_onceForgottenOrUnusedLongest() {
        server.zones(1, 1);
        String first = register("z1", "z2");
        String second = register("z2");
        assertEquals(2, passed(Candidates.newBuilder().setNodeSetId(first)));
        register("z1");
        StatusRuntimeException unused = assertThrows(
                StatusRuntimeException.class, () -> ask(Candidates.newBuilder().setNodeSetId(second)));
        assertEquals(Status.Code.NOT_FOUND, unused.getStatus().getCode());
        assertEquals(2, passed(Candidates.newBuilder().setNodeSetId(first)));
        server.placement.forgetNodeSet(
                ForgetNodeSetRequest.newBuilder().setNodeSetId(first).build());
        assertThrows(
                StatusRuntimeException.class, () -> ask(Candidates.newBuilder().setNodeSetId(first)));
        server.placement.forgetNodeSet(
                ForgetNodeSetRequest.newBuilder().setNodeSetId(first).build());
        assertEquals(1, server.status().getNodeSetCount());
    }

    @Test
    void whatIf_judgesAChangedCluster_eachCaseByItself() {
        server.zones(2, 1);
        WhatIfResponse response = server.placement.whatIf(WhatIfRequest.newBuilder()
                .setPod(web(hard(ZONE)))
                .addCases(WhatIfCase.newBuilder().setNode("z1"))
                .addCases(WhatIfCase.newBuilder()
                        .setNode("z1")
                        .setOverlay(Overlay.newBuilder()
                                .addWithout(PodReference.newBuilder()
                                        .setNamespace(NAMESPACE)
                                        .setName("z1-1"))
                                .addWithout(PodReference.newBuilder().setUid("nobody"))))
                .addCases(WhatIfCase.newBuilder()
                        .setNode("z1")
                        .setOverlay(Overlay.newBuilder()
                                .addAdd(AddedPod.newBuilder().setObject(pod("", "z2")))))
                .addCases(WhatIfCase.newBuilder()
                        .setNode("z1")
                        .setOverlay(Overlay.newBuilder()
                                .addAdd(AddedPod.newBuilder()
                                        .setObject(pod("", "z1"))
                                        .setNode("z2"))))
                .addCases(WhatIfCase.newBuilder().setNode("z7"))
                .build());
        List<WhatIfAnswer> answers = response.getAnswersList();
        assertEquals(server.status().getRevision(), response.getRevision());
        assertEquals(
                NodeCode.NODE_CODE_UNSCHEDULABLE, answers.get(0).getVerdict().getCode());
        assertEquals(
                NodeReason.NODE_REASON_MAX_SKEW, answers.get(0).getVerdict().getReason());
        assertEquals(SKEWED, answers.get(0).getVerdict().getMessage());
        assertEquals(NodeCode.NODE_CODE_SUCCESS, answers.get(1).getVerdict().getCode());
        assertEquals(
                List.of(PodReference.newBuilder().setUid("nobody").build()),
                answers.get(1).getVerdict().getUnknownPodsList());
        assertEquals(NodeCode.NODE_CODE_SUCCESS, answers.get(2).getVerdict().getCode());
        assertEquals(NodeCode.NODE_CODE_SUCCESS, answers.get(3).getVerdict().getCode());
        assertEquals(
                ErrorReason.ERROR_REASON_NODE_UNKNOWN, answers.get(4).getError().getReason());
    }

    @Test
    void whatIf_ofAWrongPod_isRefusedAsAWhole() {
        server.zones(1);
        StatusRuntimeException refused = assertThrows(
                StatusRuntimeException.class,
                () -> server.placement.whatIf(WhatIfRequest.newBuilder()
                        .setPod(web(hard("")))
                        .addCases(WhatIfCase.newBuilder().setNode("z1"))
                        .build()));
        assertEquals(List.of("pod.spec.topologySpreadConstraints[0].topologyKey"), TestServer.fieldsOf(refused));
    }

    @Test
    void defaults_areTheServers_unlessTheRequestBringsItsOwn() {
        server.zones(2, 0);
        Service service = Service.newBuilder()
                .setMetadata(pod("web", "").getMetadata().toBuilder().clearLabels())
                .setSpec(ServiceSpec.newBuilder().putSelector("app", "web"))
                .build();
        server.clusterState.apply(
                apply(List.of(ClusterObject.newBuilder().setService(service).build())));
        assertEquals(
                2,
                evaluate(DefaultConstraints.getDefaultInstance()).getReadable().getSoftConstraintCount());
        assertEquals(
                0,
                evaluate(DefaultConstraints.newBuilder()
                                .setType(DefaultConstraints.Type.TYPE_LIST)
                                .build())
                        .getReadable()
                        .getSoftConstraintCount());
        DefaultConstraints hard = DefaultConstraints.newBuilder()
                .setType(DefaultConstraints.Type.TYPE_LIST)
                .addConstraints(hard(ZONE).toBuilder().clearLabelSelector())
                .build();
        assertEquals(1, evaluate(hard).getReadable().getPassedCount());
    }

    @Test
    void explain_givesTheDomainsAndCounts_thatTheAnswerRestsOn() {
        server.zones(2, 1, 0);
        server.clusterState.apply(apply(List.of(object(cordoned(node("z3", "z3"))))));
        ExplainResponse response = server.placement.explain(ExplainRequest.newBuilder()
                .setPod(web(hard(ZONE), soft("rack")))
                .build());
        assertEquals(3, response.getCandidateCount());
        assertEquals(0, response.getPassedCount());
        assertEquals("0/3 nodes are available: 1 node(s) were unschedulable, 2 " + SKEWED + ".", response.getSummary());
        ConstraintExplanation zone = response.getConstraints(0);
        assertEquals("app=web", zone.getEffectiveSelector());
        assertEquals(0, zone.getGlobalMinimum());
        assertTrue(zone.getSelfMatch());
        assertEquals(3, zone.getEligibleDomainCount());
        assertEquals(2, zone.getLeastMaxSkew());
        assertEquals(2, zone.getExcludedNodeCount());
        assertEquals("z3", zone.getDomains(0).getValue());
        assertTrue(zone.getDomains(0).getCriticalPath());
        assertTrue(zone.getDomains(0).getAdmitted());
        assertEquals(
                List.of(reason(NodeReason.NODE_REASON_UNSCHEDULABLE, "cordoned", 1)),
                zone.getDomains(0).getExclusionsList());
        assertEquals(3, zone.getDomains(2).getResultingSkew());
        assertEquals(
                List.of("spec.topologySpreadConstraints[1].topologyKey"),
                response.getAdviceList().stream()
                        .map(advice -> advice.getField())
                        .filter(field -> field.endsWith("topologyKey"))
                        .toList());
        assertEquals(3, response.getVerdictsCount());

        ExplainResponse without = server.placement.explain(ExplainRequest.newBuilder()
                .setPod(web(hard(ZONE)))
                .setOverlay(Overlay.newBuilder()
                        .addWithout(PodReference.newBuilder().setUid("z1-1")))
                .build());
        assertTrue(without.getPlaced());
        assertEquals(
                1,
                without.getConstraints(0).getDomainsList().stream()
                        .filter(domain -> domain.getValue().equals("z1"))
                        .findFirst()
                        .orElseThrow()
                        .getMatchingPodCount());
        StatusRuntimeException refused = assertThrows(
                StatusRuntimeException.class,
                () -> server.placement.explain(
                        ExplainRequest.newBuilder().setPod(web(hard(""))).build()));
        assertEquals(List.of("pod.spec.topologySpreadConstraints[0].topologyKey"), TestServer.fieldsOf(refused));
    }

    private String register(String... names) {
        return server.placement
                .registerNodeSet(RegisterNodeSetRequest.newBuilder()
                        .addAllNames(List.of(names))
                        .build())
                .getNodeSetId();
    }

    private int passed(Candidates.Builder candidates) {
        return ask(candidates).getAnswers(0).getReadable().getPassedCount();
    }

    private FilterResponse ask(Candidates.Builder candidates) {
        return server.placement.filter(filter(web(constraint(HOSTNAME, 9, "DoNotSchedule"))).toBuilder()
                .setOptions(QueryOptions.newBuilder().setCandidates(candidates))
                .build());
    }

    private PodAnswer evaluate(DefaultConstraints defaults) {
        EvaluateResponse response = server.placement.evaluate(EvaluateRequest.newBuilder()
                .addPods(web())
                .setOptions(QueryOptions.newBuilder().setDefaults(defaults))
                .build());
        return response.getAnswers(0);
    }

    private static ReasonCount reason(NodeReason reason, String message, int nodes) {
        return ReasonCount.newBuilder()
                .setReason(reason)
                .setMessage(message)
                .setNodeCount(nodes)
                .build();
    }

    private static NodeScore score(String name, int index, int score) {
        return NodeScore.newBuilder()
                .setName(name)
                .setIndex(index)
                .setScore(score)
                .build();
    }

    private static NodeVerdict verdict(String name, int index, NodeCode code, NodeReason reason, String message) {
        return NodeVerdict.newBuilder()
                .setName(name)
                .setIndex(index)
                .setCode(code)
                .setReason(reason)
                .setMessage(message)
                .build();
    }
}
