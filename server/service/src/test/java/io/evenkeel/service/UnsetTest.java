package io.evenkeel.service;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.cordoned;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Duration;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.ScoreRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that fields that are unset, 0 or negative mean the same in every call. */
final class UnsetTest {
    private static final Duration NEGATIVE =
            Duration.newBuilder().setSeconds(-1).build();

    private final TestServer server = TestServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void candidatesUnset_areTheEnterableNodes_inEveryCall() {
        server.zones(2, 1);
        server.clusterState.apply(apply(List.of(object(cordoned(node("z3", "z3"))))));
        ReadableAnswer filtered = server.placement
                .filter(FilterRequest.newBuilder().addPods(web(soft(ZONE))).build())
                .getAnswers(0)
                .getReadable();
        ReadableAnswer scored = server.placement
                .score(ScoreRequest.newBuilder().addPods(web(soft(ZONE))).build())
                .getAnswers(0)
                .getReadable();
        ReadableAnswer evaluated = server.placement
                .evaluate(EvaluateRequest.newBuilder().addPods(web(soft(ZONE))).build())
                .getAnswers(0)
                .getReadable();
        ExplainResponse explained = server.placement.explain(
                ExplainRequest.newBuilder().setPod(web(soft(ZONE))).build());
        for (ReadableAnswer answer : List.of(filtered, scored, evaluated)) {
            assertEquals(3, answer.getCandidateCount());
            assertEquals(2, answer.getPassedCount());
        }
        assertEquals(List.of("z2", "z1"), names(scored));
        assertEquals(List.of("z2", "z1"), names(evaluated));
        assertEquals(3, explained.getCandidateCount());
        assertEquals(2, explained.getEnteredCount());
        assertEquals(2, explained.getPassedCount());
    }

    @Test
    void limitOfZero_isThatWhichIsUnset() {
        server.zones(new int[101]);
        EvaluateRequest unset =
                EvaluateRequest.newBuilder().addPods(web(soft(HOSTNAME))).build();
        EvaluateRequest zero = unset.toBuilder()
                .setOptions(QueryOptions.newBuilder().setMaxBest(0))
                .build();
        assertEquals(
                16, server.placement.evaluate(unset).getAnswers(0).getReadable().getBestCount());
        assertEquals(server.placement.evaluate(unset), server.placement.evaluate(zero));
        ExplainResponse explained = server.placement.explain(
                ExplainRequest.newBuilder().setPod(web(soft(HOSTNAME))).build());
        assertEquals(100, explained.getVerdictsCount());
        assertEquals(100, explained.getConstraints(0).getDomainsCount());
        assertEquals(101, explained.getConstraints(0).getDomainCount());
    }

    @Test
    void negativeLimit_isRefused_byItsName() {
        server.zones(1);
        EvaluateRequest evaluate =
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();
        ExplainRequest explain =
                ExplainRequest.newBuilder().setPod(web(hard(ZONE))).build();
        TestServer.assertRefused(
                "options.maxBest",
                () -> server.placement.evaluate(evaluate.toBuilder()
                        .setOptions(QueryOptions.newBuilder().setMaxBest(-1))
                        .build()));
        TestServer.assertRefused(
                "options.maxBest",
                () -> server.placement.filter(FilterRequest.newBuilder()
                        .setOptions(QueryOptions.newBuilder().setMaxBest(-1))
                        .build()));
        TestServer.assertRefused(
                "maxDomains",
                () -> server.placement.explain(
                        explain.toBuilder().setMaxDomains(-1).build()));
        TestServer.assertRefused(
                "maxVerdicts",
                () -> server.placement.explain(
                        explain.toBuilder().setMaxVerdicts(-1).build()));
        TestServer.assertRefused(
                "pageSize",
                () -> server.clusterState.listNodes(
                        ListNodesRequest.newBuilder().setPageSize(-1).build()));
        TestServer.assertRefused(
                "timeToLive",
                () -> server.clusterState.assume(
                        AssumeRequest.newBuilder().setTimeToLive(NEGATIVE).build()));
        TestServer.assertRefused(
                "freshness.maxAge",
                () -> server.placement.evaluate(evaluate.toBuilder()
                        .setFreshness(Freshness.newBuilder().setMaxAge(NEGATIVE))
                        .build()));
    }

    @Test
    void everyNode_isRefused_inAFormThatHasNoPlaceForIt() {
        server.zones(1);
        for (AnswerForm form : List.of(AnswerForm.ANSWER_FORM_PACKED, AnswerForm.ANSWER_FORM_BEST)) {
            TestServer.assertRefused(
                    "options.everyNode",
                    () -> server.placement.evaluate(EvaluateRequest.newBuilder()
                            .setOptions(QueryOptions.newBuilder().setForm(form).setEveryNode(true))
                            .build()));
        }
    }

    @Test
    void formUnset_isReadable() {
        server.zones(1, 0);
        EvaluateRequest unset =
                EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();
        assertEquals(
                server.placement.evaluate(unset.toBuilder()
                        .setOptions(QueryOptions.newBuilder().setForm(AnswerForm.ANSWER_FORM_READABLE))
                        .build()),
                server.placement.evaluate(unset));
    }

    private static List<String> names(ReadableAnswer answer) {
        return answer.getBestList().stream().map(NodeScore::getName).toList();
    }
}
