package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ContainerPort;
import io.evenkeel.v1.EnterableNodes;
import io.evenkeel.v1.EntryRules;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.FittingNodes;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeBits;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeExplanation;
import io.evenkeel.v1.NodeNames;
import io.evenkeel.v1.NodeReason;
import io.evenkeel.v1.NodeSpec;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.PackedAnswer;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.ResourceRequirements;
import io.evenkeel.v1.Taint;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfVerdict;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests answers that also judge resources, host ports and nodeName. Each node is in a separate zone. For a pod that
 * asks for 1.5 cpus, 1.5Gi and port 80:
 *
 * <pre>
 *   small     has too little cpu and memory, even when empty
 *   full      is taken by the pod "large": no place, too little cpu
 *   busy      has a pod with port 80
 *   tainted   has a taint
 *   crowded   has the pod "web", so the spread constraint excludes it
 * </pre>
 */
final class FittingTest {
    private static final Candidates FITTING = Candidates.newBuilder()
            .setFitting(FittingNodes.getDefaultInstance())
            .build();
    private static final Candidates ENTERABLE = Candidates.newBuilder()
            .setEnterable(EnterableNodes.getDefaultInstance())
            .build();
    private static final Pod ASKED = withPort(requesting(web(hard(ZONE)), "1500m", "1536Mi"), 80);

    private final TestServer server = TestServer.start();

    @BeforeEach
    void feed() {
        Node tainted = has(node("tainted", "tainted"), "4", "8Gi", "10").toBuilder()
                .setSpec(NodeSpec.newBuilder()
                        .addTaints(Taint.newBuilder().setKey("full").setEffect("NoSchedule")))
                .build();
        server.clusterState.apply(apply(List.of(
                object(has(node("small", "small"), "1", "1Gi", "10")),
                object(has(node("full", "full"), "4", "8Gi", "1")),
                object(has(node("busy", "busy"), "4", "8Gi", "10")),
                object(tainted),
                object(has(node("crowded", "crowded"), "4", "8Gi", "10")),
                object(requesting(pod("large", "full"), "3", "1Gi")),
                object(withPort(requesting(pod("port", "busy"), "1", "1Gi"), 80)),
                object(requesting(pod("web", "crowded"), "1", "1Gi")))));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void readable_countsEachMessage_andHasKubeSchedulersSentence() {
        ReadableAnswer answer = readable(FITTING, ASKED);
        assertEquals(5, answer.getCandidateCount());
        assertEquals(0, answer.getPassedCount());
        assertEquals(
                "0/5 nodes are available: 1 Insufficient memory, 1 Too many pods, 1 node(s) didn't have free ports for the"
                        + " requested pod ports, 1 node(s) didn't match pod topology spread constraints, 1 node(s) had"
                        + " untolerated taint(s), 2 Insufficient cpu.",
                answer.getSummary());
        assertEquals(2, answer.getReasons(0).getNodeCount());
        assertEquals(
                Map.of(
                        "Insufficient cpu", NodeReason.NODE_REASON_RESOURCES,
                        "Insufficient memory", NodeReason.NODE_REASON_RESOURCES,
                        "Too many pods", NodeReason.NODE_REASON_RESOURCES,
                        "node(s) didn't have free ports for the requested pod ports", NodeReason.NODE_REASON_HOST_PORTS,
                        "node(s) had untolerated taint(s)", NodeReason.NODE_REASON_UNTOLERATED_TAINT,
                        "node(s) didn't match pod topology spread constraints", NodeReason.NODE_REASON_MAX_SKEW),
                answer.getReasonsList().stream()
                        .collect(Collectors.toMap(ReasonCount::getMessage, ReasonCount::getReason)));
        NodeVerdict small = answer.getVerdicts(0);
        assertEquals("Insufficient cpu, Insufficient memory", small.getMessage());
        assertEquals(NodeCode.NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE, small.getCode());
        NodeVerdict full = answer.getVerdicts(1);
        assertEquals("Too many pods, Insufficient cpu", full.getMessage());
        assertEquals(NodeCode.NODE_CODE_UNSCHEDULABLE, full.getCode());
        assertEquals(NodeCode.NODE_CODE_UNSCHEDULABLE, answer.getVerdicts(2).getCode());
    }

    @Test
    void packedAndBest_agreeWithReadable() {
        server.clusterState.apply(apply(List.of(object(has(node("free", "free"), "4", "8Gi", "10")))));
        PackedAnswer packed =
                evaluate(FITTING, AnswerForm.ANSWER_FORM_PACKED, ASKED).getPacked();
        ReadableAnswer readable = readable(FITTING, ASKED);
        assertEquals("", readable.getSummary());
        assertEquals(1, packed.getPassedCount());
        assertEquals(ByteString.copyFrom(new byte[] {0b100000}), packed.getPassed());
        assertEquals(ByteString.copyFrom(new byte[] {0b001001}), packed.getUnresolvable());
        assertEquals(readable.getReasonsList(), packed.getReasonsList());
        assertEquals(
                List.of(5),
                evaluate(FITTING, AnswerForm.ANSWER_FORM_BEST, ASKED).getBest().getBestIndexesList());
        assertEquals(
                List.of(),
                evaluate(ENTERABLE, AnswerForm.ANSWER_FORM_PACKED, ASKED)
                        .getPacked()
                        .getReasonsList());
    }

    @Test
    void nodeName_excludesTheOtherNodes_ifFittingIsAsked() {
        Pod asked = requesting(web(), "1", "1Gi").toBuilder()
                .setSpec(requesting(web(), "1", "1Gi").getSpec().toBuilder().setNodeName("busy"))
                .build();
        ReadableAnswer fitting = readable(FITTING, asked);
        assertEquals(1, fitting.getPassedCount());
        assertEquals("busy", fitting.getBest(0).getName());
        assertEquals(NodeReason.NODE_REASON_NODE_NAME, fitting.getReasons(0).getReason());
        assertEquals(4, readable(ENTERABLE, asked).getPassedCount());
    }

    @Test
    void nodeName_isNoDemand_ofAPodThatTheClusterHas() {
        Pod.Builder placed = requesting(web(), "1", "1Gi").toBuilder();
        placed.getSpecBuilder().setNodeName("full");
        placed.getMetadataBuilder().setUid("large");
        int anywhere = readable(FITTING, requesting(web(), "1", "1Gi")).getPassedCount();
        for (int i = 0; i < 2; i++) {
            assertEquals(anywhere, readable(FITTING, placed.build()).getPassedCount());
        }
        placed.getMetadataBuilder().setUid("elsewhere");
        for (int i = 0; i < 2; i++) {
            assertEquals(0, readable(FITTING, placed.build()).getPassedCount());
        }
        assertTrue(anywhere > 0);
    }

    @Test
    void rules_excludeSomeOfTheGivenCandidates() {
        Pod asked = requesting(web(), "1", "1Gi");
        NodeNames names = NodeNames.newBuilder()
                .addAllNames(List.of("full", "busy", "tainted", "gone"))
                .build();
        String set = server.placement
                .registerNodeSet(RegisterNodeSetRequest.newBuilder()
                        .addAllNames(names.getNamesList())
                        .build())
                .getNodeSetId();
        NodeBits bits = NodeBits.newBuilder()
                .setNodeTableToken(server.status().getNodeTableToken())
                .setBits(ByteString.copyFrom(new byte[] {0b01110}))
                .build();
        for (Candidates.Builder given : List.of(
                Candidates.newBuilder().setNamed(names),
                Candidates.newBuilder().setNodeSetId(set),
                Candidates.newBuilder().setBits(bits))) {
            assertEquals(3, readable(given.build(), asked).getPassedCount());
            given.setRules(EntryRules.ENTRY_RULES_ENTERABLE);
            assertEquals(2, readable(given.build(), asked).getPassedCount());
            given.setRules(EntryRules.ENTRY_RULES_FITTING);
            ReadableAnswer fitting = readable(given.build(), asked);
            assertEquals(3, fitting.getCandidateCount());
            assertEquals(1, fitting.getPassedCount());
            assertEquals("busy", fitting.getBest(0).getName());
        }
        FilterResponse response = server.placement.filter(FilterRequest.newBuilder()
                .addPods(asked)
                .setOptions(QueryOptions.newBuilder()
                        .setCandidates(
                                Candidates.newBuilder().setNamed(names).setRules(EntryRules.ENTRY_RULES_FITTING)))
                .build());
        assertEquals(List.of("gone"), response.getUnknownCandidatesList());
    }

    @Test
    void rules_areRejected_ifTheCandidatesImplyThem() {
        for (Candidates.Builder implied : List.of(
                Candidates.newBuilder(),
                Candidates.newBuilder().setAll(AllNodes.getDefaultInstance()),
                ENTERABLE.toBuilder(),
                FITTING.toBuilder(),
                Candidates.newBuilder()
                        .setNamed(NodeNames.newBuilder().addNames("full"))
                        .setRulesValue(9))) {
            Candidates candidates = implied.getRulesValue() == 0
                    ? implied.setRules(EntryRules.ENTRY_RULES_FITTING).build()
                    : implied.build();
            TestServer.assertRefused("options.candidates.rules", () -> readable(candidates, ASKED));
            TestServer.assertRefused(
                    "candidates.rules",
                    () -> server.placement.explain(ExplainRequest.newBuilder()
                            .setPod(ASKED)
                            .setCandidates(candidates)
                            .build()));
        }
        TestServer.assertRefused(
                "rules",
                () -> server.placement.whatIf(WhatIfRequest.newBuilder()
                        .setPod(ASKED)
                        .addCases(WhatIfCase.newBuilder().setNode("full"))
                        .setRulesValue(9)
                        .build()));
    }

    @Test
    void whatIf_freesWhatTheVictimsTake() {
        Pod asked = withPort(requesting(web(), "2", "2Gi"), 80);
        WhatIfVerdict full = whatIf(EntryRules.ENTRY_RULES_FITTING, asked, "full");
        assertEquals(NodeCode.NODE_CODE_UNSCHEDULABLE, full.getCode());
        assertEquals(NodeReason.NODE_REASON_RESOURCES, full.getReason());
        assertEquals("Too many pods, Insufficient cpu", full.getMessage());
        assertEquals(
                NodeCode.NODE_CODE_SUCCESS,
                whatIf(EntryRules.ENTRY_RULES_FITTING, asked, "full", "large").getCode());
        assertEquals(
                NodeReason.NODE_REASON_HOST_PORTS,
                whatIf(EntryRules.ENTRY_RULES_FITTING, asked, "busy").getReason());
        assertEquals(
                NodeCode.NODE_CODE_SUCCESS,
                whatIf(EntryRules.ENTRY_RULES_FITTING, asked, "busy", "port").getCode());
        assertEquals(
                NodeCode.NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE,
                whatIf(EntryRules.ENTRY_RULES_FITTING, asked, "small").getCode());
        assertEquals(
                NodeReason.NODE_REASON_UNTOLERATED_TAINT,
                whatIf(EntryRules.ENTRY_RULES_ENTERABLE, asked, "tainted").getReason());
        for (String node : List.of("full", "busy", "small", "tainted")) {
            assertEquals(
                    NodeCode.NODE_CODE_SUCCESS,
                    whatIf(EntryRules.ENTRY_RULES_UNSPECIFIED, asked, node).getCode());
        }
    }

    @Test
    void overlay_freesWhatItsPodsTake() {
        QueryOptions options = options(FITTING, AnswerForm.ANSWER_FORM_READABLE);
        Overlay without = Overlay.newBuilder()
                .addWithout(PodReference.newBuilder().setNamespace(NAMESPACE).setName("port"))
                .build();
        ReadableAnswer answer = server.placement
                .evaluate(EvaluateRequest.newBuilder()
                        .addPods(ASKED)
                        .setOptions(options)
                        .setOverlay(without)
                        .build())
                .getAnswers(0)
                .getReadable();
        assertEquals("busy", answer.getBest(0).getName());
    }

    @Test
    void explain_givesTheFigures_andDoesNotListTheRulesAsUnjudged() {
        ExplainResponse explained = explain(FITTING, ASKED);
        assertEquals(readable(FITTING, ASKED).getSummary(), explained.getSummary());
        assertEquals(1, explained.getEnteredCount());
        NodeExplanation full = verdictOn(explained, "full");
        assertEquals("Too many pods, Insufficient cpu", full.getMessage());
        assertEquals("pods: requested 1, free 0 of 1; cpu: requested 1500m, free 1 of 4", full.getDetail());
        assertEquals(
                "cpu: requested 1500m, free 1 of 1; memory: requested 1536Mi, free 1Gi of 1Gi",
                verdictOn(explained, "small").getDetail());
        NodeExplanation busy = verdictOn(explained, "busy");
        assertEquals(NodeReason.NODE_REASON_HOST_PORTS, busy.getReason());
        assertTrue(busy.getDetail().contains("80/TCP"), busy::getDetail);
        assertFalse(explained.getUnjudgedRulesList().contains("resources"));
        assertFalse(explained.getUnjudgedRulesList().contains("ports"));
        assertTrue(explain(ENTERABLE, ASKED).getUnjudgedRulesList().containsAll(List.of("resources", "ports")));
    }

    @Test
    void objectsWithoutResources_areCounted() {
        server.clusterState.apply(apply(List.of(object(node("bare", "bare")), object(pod("bare-1", "busy")))));
        Pod asked = requesting(web(), "1", "1Gi");
        ReadableAnswer readable = readable(FITTING, asked);
        PackedAnswer packed =
                evaluate(FITTING, AnswerForm.ANSWER_FORM_PACKED, asked).getPacked();
        ExplainResponse explained = explain(FITTING, asked);
        assertEquals(1, readable.getPodsWithoutRequests());
        assertEquals(1, readable.getNodesWithoutAllocatable());
        assertEquals(1, packed.getPodsWithoutRequests());
        assertEquals(1, packed.getNodesWithoutAllocatable());
        assertEquals(1, explained.getPodsWithoutRequests());
        assertEquals(1, explained.getNodesWithoutAllocatable());
        assertEquals(0, readable(ENTERABLE, asked).getPodsWithoutRequests());
        assertEquals(0, explain(ENTERABLE, asked).getNodesWithoutAllocatable());
        assertEquals(0, explained.getAdviceCount());
        assertEquals("spec.containers", explain(FITTING, web()).getAdvice(0).getField());
    }

    @Test
    void answerThatNamesTooManyResources_isRejected_beforeItIsComputed() {
        Container.Builder greedy = Container.newBuilder().setName("main");
        for (int i = 0; i < 100; i++) {
            greedy.getResourcesBuilder().putRequests("example.com/resource-" + i, StringValue.of("1"));
        }
        Pod asked = web().toBuilder()
                .setSpec(PodSpec.newBuilder().addContainers(greedy))
                .build();
        try (TestServer limited = TestServer.start(InstanceOptions.standard()
                .withLimits(Limits.builder().responseBytes(10_000).build()))) {
            limited.clusterState.apply(apply(List.of(
                    object(has(node("a", "a"), "4", "8Gi", "10")), object(has(node("b", "b"), "4", "8Gi", "10")))));
            EvaluateRequest.Builder request = EvaluateRequest.newBuilder()
                    .addPods(asked)
                    .setOptions(QueryOptions.newBuilder().setCandidates(FITTING));
            ReadableAnswer answer =
                    limited.placement.evaluate(request.build()).getAnswers(0).getReadable();
            assertEquals(100, answer.getReasonsCount());
            request.getOptionsBuilder().setEveryNode(true);
            for (int i = 0; i < 2; i++) {
                request.addPods(asked);
            }
            TestServer.assertRefused("pods", () -> limited.placement.evaluate(request.build()));
            TestServer.assertRefused(
                    "maxVerdicts",
                    () -> limited.placement.explain(ExplainRequest.newBuilder()
                            .setPod(asked)
                            .setCandidates(FITTING)
                            .build()));
        }
    }

    private ReadableAnswer readable(Candidates candidates, Pod pod) {
        return server.placement
                .evaluate(EvaluateRequest.newBuilder()
                        .addPods(pod)
                        .setOptions(options(candidates, AnswerForm.ANSWER_FORM_READABLE).toBuilder()
                                .setEveryNode(true))
                        .build())
                .getAnswers(0)
                .getReadable();
    }

    private PodAnswer evaluate(Candidates candidates, AnswerForm form, Pod pod) {
        return server.placement
                .evaluate(EvaluateRequest.newBuilder()
                        .addPods(pod)
                        .setOptions(options(candidates, form))
                        .build())
                .getAnswers(0);
    }

    private static QueryOptions options(Candidates candidates, AnswerForm form) {
        return QueryOptions.newBuilder().setCandidates(candidates).setForm(form).build();
    }

    private ExplainResponse explain(Candidates candidates, Pod pod) {
        return server.placement.explain(ExplainRequest.newBuilder()
                .setPod(pod)
                .setCandidates(candidates)
                .build());
    }

    private static NodeExplanation verdictOn(ExplainResponse explained, String name) {
        return explained.getVerdictsList().stream()
                .filter(node -> node.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private WhatIfVerdict whatIf(EntryRules rules, Pod pod, String node, String... victims) {
        Overlay.Builder overlay = Overlay.newBuilder();
        for (String victim : victims) {
            overlay.addWithout(PodReference.newBuilder().setUid(victim));
        }
        return server.placement
                .whatIf(WhatIfRequest.newBuilder()
                        .setPod(pod)
                        .setRules(rules)
                        .addCases(WhatIfCase.newBuilder().setNode(node).setOverlay(overlay))
                        .build())
                .getAnswers(0)
                .getVerdict();
    }

    private static Node has(Node node, String cpu, String memory, String pods) {
        return node.toBuilder()
                .setStatus(NodeStatus.newBuilder()
                        .putAllocatable("cpu", StringValue.of(cpu))
                        .putAllocatable("memory", StringValue.of(memory))
                        .putAllocatable("pods", StringValue.of(pods)))
                .build();
    }

    private static Pod requesting(Pod pod, String cpu, String memory) {
        return pod.toBuilder()
                .setSpec(pod.getSpec().toBuilder()
                        .addContainers(Container.newBuilder()
                                .setName("main")
                                .setResources(ResourceRequirements.newBuilder()
                                        .putRequests("cpu", StringValue.of(cpu))
                                        .putRequests("memory", StringValue.of(memory)))))
                .build();
    }

    private static Pod withPort(Pod pod, int port) {
        Pod.Builder with = pod.toBuilder();
        with.getSpecBuilder()
                .getContainersBuilder(0)
                .addPorts(ContainerPort.newBuilder().setHostPort(port));
        return with.build();
    }
}
