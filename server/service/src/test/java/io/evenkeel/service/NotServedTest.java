package io.evenkeel.service;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.event;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.Duration;
import com.google.rpc.ErrorInfo;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.WhatIfRequest;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Tests that unsatisfiable demands and sessions, which this server does not have, are not ignored. */
final class NotServedTest {
    private final TestServer server = TestServer.start();

    @BeforeEach
    void feed() {
        server.zones(1, 0);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void session_isUnknown_inEveryCall() {
        Pod pod = web(hard(ZONE));
        assertReason(
                ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
                () -> server.placement.filter(FilterRequest.newBuilder()
                        .addPods(pod)
                        .setSession("fork")
                        .build()));
        assertReason(
                ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
                () -> server.placement.score(ScoreRequest.newBuilder()
                        .addPods(pod)
                        .setSession("fork")
                        .build()));
        assertReason(
                ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
                () -> server.placement.evaluate(EvaluateRequest.newBuilder()
                        .addPods(pod)
                        .setSession("fork")
                        .build()));
        assertReason(
                ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
                () -> server.placement.whatIf(WhatIfRequest.newBuilder()
                        .setPod(pod)
                        .setSession("fork")
                        .build()));
        assertReason(
                ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
                () -> server.placement.explain(ExplainRequest.newBuilder()
                        .setPod(pod)
                        .setSession("fork")
                        .build()));
        Revision now = server.status().getRevision();
        assertReason(
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                () -> evaluate(
                        Freshness.newBuilder().setRevision(now.toBuilder().setSession("fork"))));
    }

    @Test
    void demandForAVersion_orAnAge_isRefusedAtOnce() {
        assertReason(
                ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                () -> evaluate(Freshness.newBuilder().addResourceVersions(version(ObjectKind.OBJECT_KIND_POD, "7"))));
        assertReason(
                ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                () -> evaluate(
                        Freshness.newBuilder().setMaxAge(Duration.newBuilder().setSeconds(75))));
        assertReason(
                ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                () -> server.placement.whatIf(WhatIfRequest.newBuilder()
                        .setFreshness(Freshness.newBuilder()
                                .setMaxAge(Duration.newBuilder().setNanos(1)))
                        .build()));
        assertReason(
                ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                () -> server.placement.explain(ExplainRequest.newBuilder()
                        .setPod(web())
                        .setFreshness(
                                Freshness.newBuilder().addResourceVersions(version(ObjectKind.OBJECT_KIND_NODE, "9")))
                        .build()));
    }

    @Test
    void wrongDemand_isNamedByItsField() {
        TestServer.assertRefused(
                "freshness.resourceVersions[0].kind",
                () -> evaluate(
                        Freshness.newBuilder().addResourceVersions(version(ObjectKind.OBJECT_KIND_UNSPECIFIED, "7"))));
        TestServer.assertRefused(
                "freshness.resourceVersions[1].kind",
                () -> evaluate(Freshness.newBuilder()
                        .addResourceVersions(version(ObjectKind.OBJECT_KIND_POD, "7"))
                        .addResourceVersions(version(ObjectKind.OBJECT_KIND_POD, "8"))));
        TestServer.assertRefused(
                "freshness.resourceVersions[0].resourceVersion",
                () -> evaluate(Freshness.newBuilder().addResourceVersions(version(ObjectKind.OBJECT_KIND_POD, "0x7"))));
    }

    @Test
    void versionsAskedFor_areAbsent_ifNoFeedReportsThem() {
        assertEquals(0, evaluate(Freshness.newBuilder().setIncludeResourceVersions(true)));
        assertEquals(0, evaluate(Freshness.newBuilder().setMaxAge(Duration.getDefaultInstance())));
    }

    @Test
    void explainWithoutAPod_isRefused() {
        TestServer.assertRefused(
                "pod",
                () -> server.placement.explain(ExplainRequest.newBuilder().build()));
    }

    @Test
    void bookmark_isAcknowledged_andChangesNothing() {
        Revision before = server.status().getRevision();
        ClusterEvent bookmark = event(
                ClusterEvent.Type.TYPE_BOOKMARK,
                object(Pod.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder().setResourceVersion("12"))
                        .build()));
        ClusterEvent wrong = event(ClusterEvent.Type.TYPE_BOOKMARK, object(node("z1", "z1")));
        ApplyResponse response = server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(bookmark)
                .addEvents(wrong)
                .addEvents(bookmark)
                .build());
        assertEquals(before, response.getRevision());
        assertEquals(0, response.getAppliedCount());
        assertEquals(1, response.getRefusalsCount());
        assertEquals(1, response.getRefusals(0).getPosition());
        assertEquals(
                "object.node.metadata.resourceVersion",
                response.getRefusals(0).getError().getViolations(0).getField());
        assertEquals(
                1,
                server.clusterState
                        .apply(apply(List.of(object(node("new", Map.of())))))
                        .getAppliedCount());
    }

    private static KindVersion version(ObjectKind kind, String version) {
        return KindVersion.newBuilder()
                .setKind(kind)
                .setResourceVersion(version)
                .build();
    }

    /** The number of versions in the answer. */
    private int evaluate(Freshness.Builder freshness) {
        return server.placement
                .evaluate(EvaluateRequest.newBuilder()
                        .addPods(web(hard(ZONE)))
                        .setFreshness(freshness)
                        .build())
                .getResourceVersionsCount();
    }

    private static void assertReason(ErrorReason reason, Executable call) {
        StatusRuntimeException refused = assertThrows(StatusRuntimeException.class, call);
        ErrorInfo info = TestServer.detail(refused, ErrorInfo.class);
        assertEquals("evenkeel.io", info.getDomain());
        assertEquals(reason.name(), info.getReason());
    }
}
