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
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.EnterableNodes;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ForgetNodeSetRequest;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeNames;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodRef;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.RegisterNodeSetResponse;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import io.evenkeel.v1.WhatIf;
import io.evenkeel.v1.WhatIfAnswer;
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
        assertEquals(server.status().getNodeTableRevision(), response.getNodeTableRevision());
        PodAnswer answer = response.getAnswers(0);
        assertEquals(4, answer.getCandidates());
        assertEquals(2, answer.getPassed());
        assertFalse(answer.getScored());
        assertEquals(0, answer.getBestCount());
        assertEquals(
                List.of(reason(SKEWED + " (missing required label)", 1), reason(SKEWED, 1)), answer.getReasonsList());
        assertEquals(
                List.of(
                        verdict("z1", 0, NodeCode.UNSCHEDULABLE, SKEWED),
                        verdict("z2", 1, NodeCode.SUCCESS, ""),
                        verdict("z3", 2, NodeCode.SUCCESS, ""),
                        verdict(
                                "bare",
                                3,
                                NodeCode.UNSCHEDULABLE_AND_UNRESOLVABLE,
                                SKEWED + " (missing required label)")),
                answer.getNodesList());
    }

    @Test
    void evaluate_filtersThenScoresWhatPassed_scoreTakesTheCandidatesAsTheyAre() {
        server.zones(3, 2, 0);
        Pod pod = web(constraint(ZONE, 3, "DoNotSchedule"), soft(HOSTNAME));
        PodAnswer evaluated = server.placement
                .evaluate(EvaluateRequest.newBuilder().addPods(pod).build())
                .getAnswers(0);
        assertEquals(2, evaluated.getPassed());
        assertTrue(evaluated.getScored());
        assertEquals(List.of(score("z3", 2, 100), score("z2", 1, 0)), evaluated.getBestList());

        PodAnswer scored = server.placement
                .score(ScoreRequest.newBuilder()
                        .addPods(pod)
                        .setOptions(QueryOptions.newBuilder().setBest(2))
                        .build())
                .getAnswers(0);
        assertEquals(3, scored.getPassed());
        assertEquals(List.of(score("z3", 2, 100), score("z2", 1, 40)), scored.getBestList());
    }

    @Test
    void packedAnswer_saysWhatTheReadableOneSays() {
        server.zones(2, 0, 1, 0, 0, 0, 0, 0, 0, 1);
        server.clusterState.apply(apply(List.of(object(node("bare", Map.of())))));
        Pod pod = web(hard(ZONE), soft(HOSTNAME));
        EvaluateRequest.Builder request = EvaluateRequest.newBuilder()
                .addPods(pod)
                .setOptions(QueryOptions.newBuilder().setEveryNode(true).setBest(3));
        PodAnswer readable = server.placement.evaluate(request.build()).getAnswers(0);
        request.getOptionsBuilder().setForm(AnswerForm.PACKED);
        PodAnswer answer = server.placement.evaluate(request.build()).getAnswers(0);
        PackedAnswer packed = answer.getPacked();
        assertEquals(readable.getPassed(), answer.getPassed());
        assertEquals(readable.getCandidates(), answer.getCandidates());
        assertEquals(2, packed.getPassed().size());
        assertEquals(11, packed.getScores().size());
        assertEquals(readable.getBestList().stream().map(NodeScore::getIndex).toList(), packed.getBestList());
        for (NodeVerdict node : readable.getNodesList()) {
            int index = node.getIndex();
            boolean passed = (packed.getPassed().byteAt(index >> 3) >> (index & 7) & 1) == 1;
            boolean unresolvable = (packed.getUnresolvable().byteAt(index >> 3) >> (index & 7) & 1) == 1;
            assertEquals(node.getCode() == NodeCode.SUCCESS, passed, node.getName());
            assertEquals(node.getCode() == NodeCode.UNSCHEDULABLE_AND_UNRESOLVABLE, unresolvable, node.getName());
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
                    .setOptions(QueryOptions.newBuilder().setBest(3));
            PodAnswer readable = server.placement.evaluate(request.build()).getAnswers(0);
            request.getOptionsBuilder().setForm(AnswerForm.BEST);
            PodAnswer answer = server.placement.evaluate(request.build()).getAnswers(0);
            assertEquals(readable.getScored(), answer.getScored());
            assertEquals(
                    readable.getBestList().stream().map(NodeScore::getIndex).toList(),
                    answer.getPacked().getBestList());
            byte[] scores = answer.getPacked().getBestScores().toByteArray();
            assertEquals(readable.getScored() ? readable.getBestCount() : 0, scores.length);
            for (int rank = 0; rank < scores.length; rank++) {
                assertEquals(readable.getBest(rank).getScore(), scores[rank]);
            }
            assertEquals(0, answer.getPassed());
            assertEquals(0, answer.getPacked().getPassed().size());
        }
    }

    @Test
    void bestForm_ofFilter_isRefused() {
        server.zones(1);
        FilterRequest request = filter(web(hard(ZONE))).toBuilder()
                .setOptions(QueryOptions.newBuilder().setForm(AnswerForm.BEST))
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
        assertEquals(1, response.getAnswers(1).getPassed());
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
        assertEquals(1, named.getAnswers(0).getCandidates());
        assertEquals(List.of("z9"), named.getUnknownCandidatesList());

        RegisterNodeSetResponse set = server.placement.registerNodeSet(RegisterNodeSetRequest.newBuilder()
                .addNames("z9")
                .addNames("z1")
                .build());
        assertEquals(List.of("z9"), set.getUnknownList());
        assertEquals(1, passed(Candidates.newBuilder().setNodeSet(set.getNodeSet())));
        server.clusterState.apply(apply(List.of(object(node("z9", "z9")))));
        assertEquals(2, passed(Candidates.newBuilder().setNodeSet(set.getNodeSet())));
    }

    @Test
    void nodeSet_hasTheIdOfItsEqual_andIsGone_onceForgottenOrUnusedLongest() {
        server.zones(1, 1);
        long first = register("z1", "z2");
        assertEquals(first, register("z2", "z1", "z2"));
        long second = register("z2");
        assertEquals(2, passed(Candidates.newBuilder().setNodeSet(first)));
        register("z1");
        StatusRuntimeException unused = assertThrows(
                StatusRuntimeException.class, () -> ask(Candidates.newBuilder().setNodeSet(second)));
        assertEquals(Status.Code.NOT_FOUND, unused.getStatus().getCode());
        assertEquals(2, passed(Candidates.newBuilder().setNodeSet(first)));
        server.placement.forgetNodeSet(
                ForgetNodeSetRequest.newBuilder().setNodeSet(first).build());
        assertThrows(
                StatusRuntimeException.class, () -> ask(Candidates.newBuilder().setNodeSet(first)));
        server.placement.forgetNodeSet(
                ForgetNodeSetRequest.newBuilder().setNodeSet(first).build());
        assertEquals(1, server.status().getNodeSets());
    }

    @Test
    void whatIf_judgesAChangedCluster_eachCaseByItself() {
        server.zones(2, 1);
        Pod pod = web(hard(ZONE));
        WhatIfResponse response = server.placement.whatIf(WhatIfRequest.newBuilder()
                .addCases(WhatIf.newBuilder().setPod(pod).setNode("z1"))
                .addCases(WhatIf.newBuilder()
                        .setPod(pod)
                        .setNode("z1")
                        .addRemove(PodRef.newBuilder().setNamespace(NAMESPACE).setName("z1-1"))
                        .addRemove(PodRef.newBuilder().setUid("nobody")))
                .addCases(WhatIf.newBuilder().setPod(pod).setNode("z1").addAdd(pod("", "z2")))
                .addCases(WhatIf.newBuilder().setPod(pod).setNode("z7"))
                .addCases(WhatIf.newBuilder().setPod(web(hard(""))).setNode("z1"))
                .build());
        List<WhatIfAnswer> answers = response.getAnswersList();
        assertEquals(server.status().getRevision(), response.getRevision());
        assertEquals(NodeCode.UNSCHEDULABLE, answers.get(0).getCode());
        assertEquals(SKEWED, answers.get(0).getReason());
        assertEquals(NodeCode.SUCCESS, answers.get(1).getCode());
        assertEquals(
                List.of(PodRef.newBuilder().setUid("nobody").build()),
                answers.get(1).getUnknownList());
        assertEquals(NodeCode.SUCCESS, answers.get(2).getCode());
        assertEquals(Status.Code.NOT_FOUND.value(), answers.get(3).getError().getCode());
        assertEquals(
                "pod.spec.topologySpreadConstraints[0].topologyKey",
                answers.get(4).getError().getViolations(0).getField());
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
        assertTrue(evaluate(DefaultConstraints.getDefaultInstance()).getScored());
        assertFalse(evaluate(DefaultConstraints.newBuilder()
                        .setType(DefaultConstraints.Type.LIST)
                        .build())
                .getScored());
        DefaultConstraints hard = DefaultConstraints.newBuilder()
                .setType(DefaultConstraints.Type.LIST)
                .addConstraints(hard(ZONE).toBuilder().clearLabelSelector())
                .build();
        assertEquals(1, evaluate(hard).getPassed());
    }

    @Test
    void explain_givesTheDomainsAndCounts_thatTheAnswerRestsOn() {
        server.zones(2, 1, 0);
        server.clusterState.apply(apply(List.of(object(cordoned(node("z3", "z3"))))));
        ExplainResponse response = server.placement.explain(ExplainRequest.newBuilder()
                .setPod(web(hard(ZONE), soft("rack")))
                .build());
        assertEquals(3, response.getNodes());
        assertEquals(0, response.getPassed());
        assertEquals("0/3 nodes are available: 1 node(s) were unschedulable, 2 " + SKEWED + ".", response.getSummary());
        ConstraintExplanation zone = response.getConstraints(0);
        assertEquals("app=web", zone.getEffectiveSelector());
        assertEquals(0, zone.getGlobalMinimum());
        assertEquals(1, zone.getSelfMatch());
        assertEquals(3, zone.getEligibleDomains());
        assertEquals(2, zone.getLeastMaxSkew());
        assertEquals(2, zone.getNodesTakenOut());
        assertEquals("z3", zone.getDomains(0).getValue());
        assertTrue(zone.getDomains(0).getCriticalPath());
        assertTrue(zone.getDomains(0).getWouldDo());
        assertEquals(List.of(reason("cordoned", 1)), zone.getDomains(0).getShutOutByList());
        assertEquals(3, zone.getDomains(2).getSkewAfterPlacement());
        assertEquals(
                List.of("spec.topologySpreadConstraints[1].topologyKey"),
                response.getAdviceList().stream()
                        .map(advice -> advice.getField())
                        .filter(field -> field.endsWith("topologyKey"))
                        .toList());
        assertEquals(3, response.getVerdictsCount());

        ExplainResponse without = server.placement.explain(ExplainRequest.newBuilder()
                .setPod(web(hard(ZONE)))
                .setWithout(PodRef.newBuilder().setUid("z1-1"))
                .build());
        assertTrue(without.getWasPlaced());
        assertEquals(
                1,
                without.getConstraints(0).getDomainsList().stream()
                        .filter(domain -> domain.getValue().equals("z1"))
                        .findFirst()
                        .orElseThrow()
                        .getMatchingPods());
        StatusRuntimeException refused = assertThrows(
                StatusRuntimeException.class,
                () -> server.placement.explain(
                        ExplainRequest.newBuilder().setPod(web(hard(""))).build()));
        assertEquals(List.of("pod.spec.topologySpreadConstraints[0].topologyKey"), TestServer.fieldsOf(refused));
    }

    private long register(String... names) {
        return server.placement
                .registerNodeSet(RegisterNodeSetRequest.newBuilder()
                        .addAllNames(List.of(names))
                        .build())
                .getNodeSet();
    }

    private int passed(Candidates.Builder candidates) {
        return ask(candidates).getAnswers(0).getPassed();
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

    private static ReasonCount reason(String reason, int nodes) {
        return ReasonCount.newBuilder().setReason(reason).setNodes(nodes).build();
    }

    private static NodeScore score(String name, int index, int score) {
        return NodeScore.newBuilder()
                .setName(name)
                .setIndex(index)
                .setScore(score)
                .build();
    }

    private static NodeVerdict verdict(String name, int index, NodeCode code, String reason) {
        return NodeVerdict.newBuilder()
                .setName(name)
                .setIndex(index)
                .setCode(code)
                .setReason(reason)
                .build();
    }
}
