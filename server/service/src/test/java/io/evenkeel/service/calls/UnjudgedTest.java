package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.v1.UnjudgedRule.UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS;
import static io.evenkeel.v1.UnjudgedRule.UNJUDGED_RULE_DYNAMIC_RESOURCES;
import static io.evenkeel.v1.UnjudgedRule.UNJUDGED_RULE_POD_AFFINITY;
import static io.evenkeel.v1.UnjudgedRule.UNJUDGED_RULE_POD_ANTI_AFFINITY;
import static io.evenkeel.v1.UnjudgedRule.UNJUDGED_RULE_SCHEDULING_GATES;
import static io.evenkeel.v1.UnjudgedRule.UNJUDGED_RULE_VOLUMES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAffinityTerm;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.ResourceRequirements;
import io.evenkeel.v1.Unjudged;
import io.evenkeel.v1.UnjudgedRule;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that answers report the rules that can exclude nodes but are not judged, and only these. */
final class UnjudgedTest {
    private static final Pod ASKED = web(hard(ZONE));

    private final TestServer server = TestServer.start();

    @BeforeEach
    void feed() {
        server.clusterState.apply(apply(List.of(object(node("a", "z1")), object(node("b", "z2")))));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    static Stream<Arguments> fields() {
        return Stream.of(
                field(
                        UNJUDGED_RULE_VOLUMES,
                        spec -> spec.addVolumesBuilder()
                                .setName("data")
                                .getVolumeSourceBuilder()
                                .getPersistentVolumeClaimBuilder()
                                .setClaimName("data-0")),
                field(
                        UNJUDGED_RULE_VOLUMES,
                        spec -> spec.addVolumesBuilder()
                                .setName("from-json")
                                .getPersistentVolumeClaimBuilder()
                                .setClaimName("data-0")),
                field(
                        UNJUDGED_RULE_VOLUMES,
                        spec -> spec.addVolumesBuilder()
                                .getVolumeSourceBuilder()
                                .getEphemeralBuilder()),
                field(
                        UNJUDGED_RULE_POD_AFFINITY,
                        spec -> spec.getAffinityBuilder()
                                .getPodAffinityBuilder()
                                .addRequiredDuringSchedulingIgnoredDuringExecution(term("cache"))),
                field(
                        UNJUDGED_RULE_POD_ANTI_AFFINITY,
                        spec -> spec.getAffinityBuilder()
                                .getPodAntiAffinityBuilder()
                                .addRequiredDuringSchedulingIgnoredDuringExecution(term("cache"))),
                field(
                        UNJUDGED_RULE_SCHEDULING_GATES,
                        spec -> spec.addSchedulingGatesBuilder().setName("quota")),
                field(
                        UNJUDGED_RULE_DYNAMIC_RESOURCES,
                        spec -> spec.addResourceClaimsBuilder().setName("gpu")),
                field(
                        UNJUDGED_RULE_DYNAMIC_RESOURCES,
                        spec -> spec.addContainers(Container.newBuilder()
                                .setResources(ResourceRequirements.newBuilder()
                                        .putRequests("deviceclass.resource.kubernetes.io/gpu", StringValue.of("1"))))));
    }

    private static Arguments field(UnjudgedRule rule, Consumer<PodSpec.Builder> field) {
        return Arguments.of(rule, field);
    }

    @ParameterizedTest
    @MethodSource("fields")
    void fieldOfThePod_isReported_inEveryFormAndCall(UnjudgedRule rule, Consumer<PodSpec.Builder> field) {
        Pod pod = with(ASKED, field);
        // Twice, because the pod is cached after the first time.
        for (int i = 0; i < 2; i++) {
            ReadableAnswer readable =
                    evaluate(AnswerForm.ANSWER_FORM_READABLE, pod, ASKED).get(0).getReadable();
            assertEquals(List.of(rule), readable.getUnjudgedList());
            assertEquals(2, readable.getPassedCount());
            assertTrue(readable.getSummary().startsWith("2/2 nodes pass what is judged; not judged: "));
            assertFalse(readable.getSummary().contains("available"));
        }
        for (AnswerForm form : List.of(AnswerForm.ANSWER_FORM_PACKED, AnswerForm.ANSWER_FORM_BEST)) {
            List<PodAnswer> answers = evaluate(form, ASKED, pod, ASKED);
            assertEquals(List.of(), unjudged(answers.get(0)));
            assertEquals(List.of(rule), unjudged(answers.get(1)));
            assertEquals(List.of(), unjudged(answers.get(2)));
        }
        WhatIfRequest whatIf = WhatIfRequest.newBuilder()
                .setPod(pod)
                .addCases(WhatIfCase.newBuilder().setNode("a"))
                .build();
        assertEquals(List.of(rule), server.placement.whatIf(whatIf).getUnjudgedList());
        ExplainResponse explained =
                server.placement.explain(ExplainRequest.newBuilder().setPod(pod).build());
        assertEquals(List.of(rule), rules(explained));
        assertEquals(readableSummary(pod), explained.getSummary());
    }

    @ParameterizedTest
    @MethodSource("fields")
    void fieldOfAStoredPod_isReported_whenThePodIsExplained(UnjudgedRule rule, Consumer<PodSpec.Builder> field) {
        Pod stored = with(pod("stuck", ""), field);
        server.clusterState.apply(apply(List.of(object(stored), object(pod("plain", "")))));
        assertEquals(List.of(rule), rules(explain("stuck")));
        assertEquals(List.of(), rules(explain("plain")));
    }

    @Test
    void volumesThatEveryNodeHas_andPreferredAffinity_areNotReported() {
        Pod pod = with(ASKED, spec -> {
            spec.addVolumesBuilder().setName("scratch").getVolumeSourceBuilder();
            spec.getAffinityBuilder().getPodAffinityBuilder();
            spec.getAffinityBuilder().getPodAntiAffinityBuilder();
        });
        ExplainResponse explained =
                server.placement.explain(ExplainRequest.newBuilder().setPod(pod).build());
        assertEquals(List.of(), rules(explained));
        assertEquals("2/2 nodes are available.", explained.getSummary());
    }

    @ParameterizedTest
    @EnumSource(
            value = AnswerForm.class,
            names = {"ANSWER_FORM_READABLE", "ANSWER_FORM_PACKED", "ANSWER_FORM_BEST"})
    void antiAffinityOfPodsOnNodes_isReported_whileItMatchesThePod(AnswerForm form) {
        Pod other = with(ASKED, spec -> {}).toBuilder()
                .setMetadata(ASKED.getMetadata().toBuilder().putLabels("app", "other"))
                .build();
        assertEquals(List.of(), unjudged(evaluate(form, ASKED).get(0)));
        Pod repelling = with(
                pod("db", "b"),
                spec -> spec.getAffinityBuilder()
                        .getPodAntiAffinityBuilder()
                        .addRequiredDuringSchedulingIgnoredDuringExecution(term("web")));
        Pod pending = with(repelling, PodSpec.Builder::clearNodeName);
        server.clusterState.apply(apply(List.of(object(pending))));
        assertEquals(List.of(), unjudged(evaluate(form, ASKED).get(0)));
        server.clusterState.apply(apply(List.of(object(repelling))));
        assertEquals(
                List.of(UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS),
                unjudged(evaluate(form, ASKED, other).get(0)));
        assertEquals(List.of(), unjudged(evaluate(form, ASKED, other).get(1)));
        Pod elsewhere = ASKED.toBuilder()
                .setMetadata(ASKED.getMetadata().toBuilder().setNamespace("elsewhere"))
                .build();
        assertEquals(List.of(), unjudged(evaluate(form, elsewhere).get(0)));
        server.clusterState.apply(
                ApplyRequest.newBuilder().addEvents(deleted(object(repelling))).build());
        assertEquals(List.of(), unjudged(evaluate(form, ASKED).get(0)));
    }

    @Test
    void antiAffinity_isExplained_withItsSelectorAndKey_inAnyOfItsNamespaces() {
        Pod repelling = with(
                pod("db", "b"),
                spec -> spec.getAffinityBuilder()
                        .getPodAntiAffinityBuilder()
                        .addRequiredDuringSchedulingIgnoredDuringExecution(
                                term("web").toBuilder().setNamespaceSelector(LabelSelector.getDefaultInstance())));
        Pod deleting = repelling.toBuilder()
                .setMetadata(repelling.getMetadata().toBuilder().setNamespace("data"))
                .build();
        server.clusterState.apply(apply(List.of(object(deleting))));
        Unjudged reported = server.placement
                .explain(ExplainRequest.newBuilder().setPod(ASKED).build())
                .getUnjudged(0);
        assertEquals(UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS, reported.getRule());
        assertTrue(reported.getMessage().contains("app=web"), reported.getMessage());
        assertTrue(reported.getMessage().contains("kubernetes.io/hostname"), reported.getMessage());
    }

    private static Pod with(Pod pod, Consumer<PodSpec.Builder> change) {
        Pod.Builder changed = pod.toBuilder();
        change.accept(changed.getSpecBuilder());
        return changed.build();
    }

    private static PodAffinityTerm term(String app) {
        return PodAffinityTerm.newBuilder()
                .setTopologyKey("kubernetes.io/hostname")
                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", app))
                .build();
    }

    private String readableSummary(Pod pod) {
        return evaluate(AnswerForm.ANSWER_FORM_READABLE, pod)
                .get(0)
                .getReadable()
                .getSummary();
    }

    private List<PodAnswer> evaluate(AnswerForm form, Pod... pods) {
        return server.placement
                .evaluate(EvaluateRequest.newBuilder()
                        .addAllPods(List.of(pods))
                        .setOptions(QueryOptions.newBuilder().setForm(form))
                        .build())
                .getAnswersList();
    }

    private ExplainResponse explain(String name) {
        return server.placement.explain(ExplainRequest.newBuilder()
                .setPodReference(
                        PodReference.newBuilder().setNamespace(NAMESPACE).setName(name))
                .build());
    }

    private static List<UnjudgedRule> rules(ExplainResponse response) {
        return response.getUnjudgedList().stream().map(Unjudged::getRule).toList();
    }

    private static List<UnjudgedRule> unjudged(PodAnswer answer) {
        return switch (answer.getResultCase()) {
            case READABLE -> answer.getReadable().getUnjudgedList();
            case PACKED -> answer.getPacked().getUnjudgedList();
            case BEST -> answer.getBest().getUnjudgedList();
            case ERROR, RESULT_NOT_SET -> throw new AssertionError(answer);
        };
    }
}
