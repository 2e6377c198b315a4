package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.added;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import io.evenkeel.access.AccessOptions;
import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.EvaluationStream;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.PlacementQueries;
import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.client.Query;
import io.evenkeel.client.Session;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.InstanceClock;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AddNodes;
import io.evenkeel.v1.AddedPod;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ChangeNode;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.MovePod;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OperationResult;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.PlacePod;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.RemoveNode;
import io.evenkeel.v1.RemovePods;
import io.evenkeel.v1.Revert;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.Taint;
import io.evenkeel.v1.TaintList;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests sessions through a real server and channel. */
final class SessionsTest {
    private static final String SECRET = "-token-of-tests-0123456789";

    private static final Pod WEB = web(hard(ZONE));

    private final AtomicLong now = new AtomicLong();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestServer server = TestServer.start(ServerOptions.onLoopback(0)
            .withMeters(meters)
            .withInstance(InstanceOptions.standard()
                    .withClock(new InstanceClock(now::get, InstantSource.system()))
                    .withLimits(Limits.builder()
                            .sessions(3)
                            .callerSessions(2)
                            .events(50)
                            .sessionBytes(1 << 16)
                            .build())));
    private final PlacementClient client = RemotePlacement.connect("127.0.0.1:" + server.server.port());

    @TempDir
    private Path directory = Path.of("");

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private static List<String> best(PlacementQueries asked) {
        return asked.evaluate(Query.of(WEB).toEvaluate()).getAnswers(0).getReadable().getBestList().stream()
                .map(NodeScore::getName)
                .sorted()
                .toList();
    }

    private static PodReference named(String name) {
        return PodReference.newBuilder().setNamespace("shop").setName(name).build();
    }

    @Test
    void session_keepsItsChanges_andNoLiveChangeReachesIt() {
        server.zones(1, 1);
        try (Session one = client.openSession();
                Session two = client.openSession()) {
            one.place(pod("more", ""), "z1");
            two.place(pod("more", ""), "z2");
            server.clusterState.apply(ApplyRequest.newBuilder()
                    .addEvents(added(object(node("z3", "z3"))))
                    .build());
            assertEquals(List.of("z2"), best(one));
            assertEquals(List.of("z1"), best(two));
            assertEquals(List.of("z3"), best(client));
        }
    }

    @Test
    void everyQuery_isAnsweredFromTheSession_withItsRevision() {
        server.zones(1, 1);
        try (Session session = client.openSession()) {
            PodReference placed = session.place(pod("more", ""), "z1");
            Revision own = session.revision();
            assertEquals(session.id(), own.getSession());
            assertEquals(own, session.filter(Query.of(WEB).toFilter()).getRevision());
            assertEquals(own, session.score(Query.of(WEB).toScore()).getRevision());
            assertEquals(
                    own,
                    session.evaluate(Query.of(WEB).atLeast(own).toEvaluate()).getRevision());
            assertEquals(
                    own,
                    session.whatIf(WhatIfRequest.newBuilder()
                                    .setPod(WEB)
                                    .addCases(WhatIfCase.newBuilder().setNode("z1"))
                                    .build())
                            .getRevision());
            var explained = session.explain(
                    ExplainRequest.newBuilder().setPodReference(placed).build());
            assertEquals(own, explained.getRevision());
            assertEquals("z1", explained.getPod().getNode());
            try (EvaluationStream stream = client.evaluationStream()) {
                assertEquals(
                        own,
                        stream.evaluate(Query.of(WEB).toEvaluate().toBuilder()
                                        .setSession(session.id())
                                        .build())
                                .join()
                                .getRevision());
            }
            assertEquals(
                    "",
                    client.evaluate(Query.of(WEB).toEvaluate()).getRevision().getSession());
        }
    }

    @Test
    void nodeSets_overlays_andTokens_workInASession() {
        server.zones(1, 1);
        String set = client.registerNodeSet(
                        RegisterNodeSetRequest.newBuilder().addNames("new").build())
                .getNodeSetId();
        try (Session session = client.openSession()) {
            session.addNode(node("new", "z3"));
            Query inSet = Query.of(WEB).among(CandidateNodes.nodeSet(set));
            assertEquals(
                    1,
                    session.evaluate(inSet.toEvaluate())
                            .getAnswers(0)
                            .getReadable()
                            .getPassedCount());
            assertEquals(List.of("new"), client.evaluate(inSet.toEvaluate()).getUnknownCandidatesList());
            Query full = Query.of(WEB)
                    .over(Overlay.newBuilder()
                            .addAdd(AddedPod.newBuilder()
                                    .setObject(pod("o", ""))
                                    .setNode("new"))
                            .addAdd(AddedPod.newBuilder()
                                    .setObject(pod("p", ""))
                                    .setNode("new"))
                            .build());
            assertEquals(
                    2,
                    session.evaluate(full.toEvaluate())
                            .getAnswers(0)
                            .getReadable()
                            .getPassedCount());
            String live = client.evaluate(Query.of(WEB).toEvaluate()).getNodeTableToken();
            var answer = session.evaluate(Query.of(WEB).toEvaluate().toBuilder()
                    .setKnownNodeTableToken(live)
                    .build());
            assertTrue(answer.getNodeTableChange().getWhole());
        }
    }

    @Test
    void freshness_isThatOfTheSession_onlyByItsRevision() {
        server.zones(1);
        Revision live = client.status().getRevision();
        try (Session session = client.openSession()) {
            assertReason(
                    ErrorReason.ERROR_REASON_INVALID_FIELD,
                    () -> session.evaluate(Query.of(WEB).atLeast(live).toEvaluate()));
            assertReason(
                    ErrorReason.ERROR_REASON_INVALID_FIELD,
                    () -> client.evaluate(
                            Query.of(WEB).atLeast(session.revision()).toEvaluate()));
            assertReason(
                    ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                    () -> session.evaluate(Query.of(WEB)
                            .fresh(Freshness.newBuilder()
                                    .addResourceVersions(KindVersion.newBuilder()
                                            .setKind(ObjectKind.OBJECT_KIND_POD)
                                            .setResourceVersion("7"))
                                    .build())
                            .toEvaluate()));
            assertReason(
                    ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                    () -> session.evaluate(Query.of(WEB)
                            .noOlderThan(java.time.Duration.ofMinutes(2))
                            .toEvaluate()));
            PlacementClient own = client.readingOwnWrites();
            own.apply(ApplyRequest.newBuilder()
                    .addEvents(added(object(node("z2", "z2"))))
                    .build());
            try (Session later = own.openSession()) {
                assertEquals(List.of("z2"), best(later));
            }
        }
    }

    @Test
    void nodes_areAddedFromATemplate_withNamesHostnamesAndPods() {
        server.zones(1);
        try (Session session = client.openSession()) {
            session.addNode(node("new-2", "z1"));
            AddNodes three = AddNodes.newBuilder()
                    .setTemplate(node("template", "z2"))
                    .setNamePrefix("new-")
                    .setCount(3)
                    .addPods(pod("agent", ""))
                    .build();
            assertEquals(List.of("new-1", "new-3", "new-4"), session.addNodes(three));
            var found = session.explain(ExplainRequest.newBuilder()
                    .setPodReference(named("agent-new-3"))
                    .build());
            assertEquals("new-3", found.getPod().getNode());
            // Hosts have one agent each, so another pod exceeds the skew against the node without one.
            assertEquals(
                    1,
                    session.evaluate(Query.of(web(hard(HOSTNAME))).toEvaluate())
                            .getAnswers(0)
                            .getReadable()
                            .getPassedCount());
        }
    }

    @Test
    void node_isChanged_onlyInWhatIsSet() {
        server.zones(0, 0);
        try (Session session = client.openSession()) {
            session.changeNode(
                    ChangeNode.newBuilder().setNode("z1").setUnschedulable(true).build());
            assertEquals(List.of("z2"), best(session));
            session.changeNode(ChangeNode.newBuilder()
                    .setNode("z1")
                    .setTaints(TaintList.newBuilder()
                            .addTaints(Taint.newBuilder().setKey("k").setEffect("NoSchedule")))
                    .build());
            session.changeNode(ChangeNode.newBuilder()
                    .setNode("z1")
                    .setUnschedulable(false)
                    .build());
            assertEquals(List.of("z2"), best(session));
            session.changeNode(ChangeNode.newBuilder()
                    .setNode("z1")
                    .setTaints(TaintList.getDefaultInstance())
                    .build());
            assertEquals(List.of("z1", "z2"), best(session));
            session.changeNode(ChangeNode.newBuilder()
                    .setNode("z2")
                    .addRemoveLabels(ZONE)
                    .putSetLabels("other", "label")
                    .build());
            assertEquals(List.of("z1"), best(session));
        }
    }

    @Test
    void forks_nest_andRevertOrCommitTheirChanges() {
        server.zones(0, 0);
        try (Session session = client.openSession()) {
            session.fork();
            session.place(pod("a", ""), "z1");
            session.fork();
            session.removeNode("z1");
            session.place(pod("b", ""), "z2");
            session.revert();
            assertEquals(List.of("z2"), best(session));
            session.fork();
            session.move(named("a"), "z2");
            session.commit();
            assertEquals(List.of("z1"), best(session));
            session.revert();
            assertEquals(List.of("z1", "z2"), best(session));
        }
    }

    @Test
    void pendingPod_isPlacedByReference_andBecomesPendingAgain() {
        server.zones(0, 0);
        server.clusterState.apply(
                ApplyRequest.newBuilder().addEvents(added(object(pod("p", "")))).build());
        try (Session session = client.openSession()) {
            session.place(named("p"), "z1");
            assertEquals(List.of("z2"), best(session));
            session.move(named("p"), "");
            assertEquals(List.of("z1", "z2"), best(session));
            session.remove(named("p"));
            assertReason(ErrorReason.ERROR_REASON_POD_UNKNOWN, () -> session.remove(named("p")));
        }
    }

    private static SessionOperation.Builder operation() {
        return SessionOperation.newBuilder();
    }

    @Test
    void eachInvalidOperation_namesItsField_andTheOthersAreMade() {
        server.zones(1, 0);
        PodReference unknown = named("unknown");
        PodReference bound = named("z1-1");
        AddNodes.Builder nodes = AddNodes.newBuilder().setTemplate(node("t", "z3"));
        List<SessionOperation> operations = List.of(
                operation().build(),
                operation().setRevert(Revert.getDefaultInstance()).build(),
                operation().setAddNodes(AddNodes.getDefaultInstance()).build(),
                operation()
                        .setAddNodes(nodes.clone().addNames("n").addNames("z1"))
                        .build(),
                operation()
                        .setAddNodes(nodes.clone().addNames("n").setNamePrefix("n"))
                        .build(),
                operation().setAddNodes(nodes.clone().setCount(2)).build(),
                operation()
                        .setAddNodes(nodes.clone().setNamePrefix("n").setCount(-1))
                        .build(),
                operation()
                        .setAddNodes(nodes.clone().setNamePrefix("n").setCount(51))
                        .build(),
                operation()
                        .setAddNodes(nodes.clone().setNamePrefix("n".repeat(243)))
                        .build(),
                operation()
                        .setAddNodes(nodes.clone()
                                .setNamePrefix("n")
                                .addPods(pod("p", "").toBuilder()
                                        .setMetadata(ObjectMeta.newBuilder().setName("x".repeat(2000)))))
                        .build(),
                operation().setRemoveNode(RemoveNode.newBuilder().setNode("n")).build(),
                operation().setChangeNode(ChangeNode.newBuilder().setNode("n")).build(),
                operation()
                        .setChangeNode(ChangeNode.newBuilder()
                                .setNode("z1")
                                .putSetLabels("a", "b")
                                .addRemoveLabels("a"))
                        .build(),
                operation().setPlacePod(PlacePod.newBuilder().setNode("z1")).build(),
                operation()
                        .setPlacePod(PlacePod.newBuilder().setPod(pod("p", "")).setNode("n"))
                        .build(),
                operation()
                        .setPlacePod(
                                PlacePod.newBuilder().setPod(pod("z1-1", "")).setNode("z2"))
                        .build(),
                operation()
                        .setPlacePod(
                                PlacePod.newBuilder().setPodReference(bound).setNode("z2"))
                        .build(),
                operation()
                        .setPlacePod(
                                PlacePod.newBuilder().setPodReference(unknown).setNode("z2"))
                        .build(),
                operation().setMovePod(MovePod.newBuilder().setNode("z1")).build(),
                operation()
                        .setMovePod(MovePod.newBuilder().setPod(bound).setNode("n"))
                        .build(),
                operation()
                        .setRemovePods(RemovePods.newBuilder().addPods(bound).addPods(unknown))
                        .build(),
                operation()
                        .setPlacePod(PlacePod.newBuilder().setPod(pod("q", "")).setNode("z1"))
                        .build());
        try (Session session = client.openSession()) {
            List<String> errors = session.change(operations).getResultsList().stream()
                    .map(SessionsTest::error)
                    .toList();
            assertEquals(
                    List.of(
                            "INVALID_FIELD operation",
                            "INVALID_FIELD revert",
                            "INVALID_FIELD addNodes.template.metadata.name",
                            "INVALID_FIELD addNodes.names[1]",
                            "INVALID_FIELD addNodes.names",
                            "INVALID_FIELD addNodes.count",
                            "INVALID_FIELD addNodes.count",
                            "LIMIT_EXCEEDED addNodes.count",
                            "INVALID_FIELD addNodes.namePrefix",
                            "INVALID_FIELD addNodes.pods[0].metadata.name",
                            "NODE_UNKNOWN",
                            "NODE_UNKNOWN",
                            "INVALID_FIELD changeNode.removeLabels[0]",
                            "INVALID_FIELD placePod.pod",
                            "NODE_UNKNOWN",
                            "INVALID_FIELD placePod.pod.metadata.uid",
                            "INVALID_FIELD placePod.podReference",
                            "POD_UNKNOWN",
                            "INVALID_FIELD movePod.pod",
                            "NODE_UNKNOWN",
                            "POD_UNKNOWN",
                            ""),
                    errors);
            // One rejected pod was not removed, and the last operation was made: two pods are in z1.
            assertEquals(List.of("z2"), best(session));
            session.remove(bound);
            assertEquals(List.of("z2"), best(session));
        }
    }

    /** Otherwise a later pod would take the place of the one that was given that UID. */
    @Test
    void uidThatTheSessionWillMakeUp_isRejected_andOneThatItHasMadeUpIsNot() {
        server.zones(1);
        PlacePod.Builder place = PlacePod.newBuilder().setNode("z1");
        Pod.Builder pod = pod("p", "").toBuilder();
        pod.getMetadataBuilder().clearUid();
        try (Session session = client.openSession()) {
            String made = session.place(pod.build(), "z1").getUid();
            UUID next = UUID.fromString(made);
            pod.getMetadataBuilder()
                    .setUid(new UUID(next.getMostSignificantBits(), next.getLeastSignificantBits() + 3).toString());
            SessionOperation guessed =
                    operation().setPlacePod(place.clone().setPod(pod)).build();
            assertEquals(
                    "INVALID_FIELD placePod.pod.metadata.uid",
                    error(session.change(List.of(guessed)).getResults(0)));
            session.remove(PodReference.newBuilder().setUid(made).build());
            pod.getMetadataBuilder().setUid(made);
            session.place(pod.build(), "z1");
        }
    }

    private static String error(OperationResult result) {
        if (result.hasDone()) {
            return "";
        }
        String reason = result.getError().getReason().name().substring("ERROR_REASON_".length());
        return result.getError().getViolationsCount() == 0
                ? reason
                : reason + " " + result.getError().getViolations(0).getField();
    }

    @Test
    void sessionThatIsClosedOrExpired_isUnknown() {
        server.zones(1);
        Session closed = client.openSession();
        closed.close();
        closed.close();
        assertReason(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> best(closed));
        assertReason(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, closed::fork);
        Session brief = client.openSession(OpenSessionRequest.newBuilder()
                .setIdleTimeout(Duration.newBuilder().setSeconds(5))
                .build());
        now.addAndGet(java.time.Duration.ofSeconds(4).toNanos());
        brief.fork();
        now.addAndGet(java.time.Duration.ofSeconds(4).toNanos());
        assertEquals(List.of("z1"), best(brief));
        assertEquals(1, meters.get("evenkeel.sessions").gauge().value());
        now.addAndGet(java.time.Duration.ofSeconds(6).toNanos());
        PlacementException expired = assertThrows(PlacementException.class, () -> best(brief));
        assertEquals(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, expired.reason());
        assertTrue(expired.description().contains("expired"), expired::description);
        assertEquals(0, meters.get("evenkeel.sessions").gauge().value());
    }

    @Test
    void sessions_areLimitedByCount_andByBytes() {
        server.zones(1);
        assertReason(ErrorReason.ERROR_REASON_NOT_FED, () -> {
            try (TestServer empty = TestServer.start();
                    PlacementClient other = RemotePlacement.connect("127.0.0.1:" + empty.server.port())) {
                other.openSession();
            }
        });
        Session one = client.openSession();
        Session two = client.openSession();
        assertReason(ErrorReason.ERROR_REASON_TOO_BUSY, client::openSession);
        two.close();
        client.openSession().close();

        Pod large = large("large");
        one.fork();
        one.place(large, "z1");
        Pod second = large.toBuilder()
                .setMetadata(large.getMetadata().toBuilder().setUid("second"))
                .build();
        assertReason(ErrorReason.ERROR_REASON_STATE_FULL, () -> one.place(second, "z1"));
        one.revert();
        one.place(second, "z1");
        one.remove(PodReference.newBuilder().setUid("second").build());
        for (int i = 0; i < 400; i++) {
            PodReference placed = one.place(pod("p" + i, ""), "z1");
            one.fork();
            one.commit();
            one.remove(placed);
        }
        one.place(large, "z1");
    }

    @Test
    void forksThatAreCommittedWithinAFork_takeNoBytes() {
        server.zones(1);
        try (Session session = client.openSession()) {
            session.fork();
            for (int i = 0; i < 300; i++) {
                session.fork();
                session.commit();
            }
            session.place(pod("p", ""), "z1");
        }
    }

    /** Access for two callers, whose tokens are their name and {@link #SECRET}. */
    private AccessOptions callersAAndB() throws IOException {
        Path tokens = Files.writeString(directory.resolve("tokens"), "a a" + SECRET + "\nb b" + SECRET + "\n");
        return new AccessOptions(null, null, null, tokens, null);
    }

    private static void addNode(PlacementClient client) {
        client.apply(ApplyRequest.newBuilder()
                .addEvents(ClusterEvent.newBuilder()
                        .setType(ClusterEvent.Type.TYPE_ADDED)
                        .setObject(object(node("z1", "z1"))))
                .build());
    }

    @Test
    void session_belongsToTheCallerThatOpenedIt() throws Exception {
        try (TestServer guarded = TestServer.start(ServerOptions.onLoopback(0).withAccess(callersAAndB()));
                PlacementClient a = withToken(guarded, "a" + SECRET);
                PlacementClient b = withToken(guarded, "b" + SECRET)) {
            addNode(a);
            try (Session session = a.openSession()) {
                var asked = Query.of(WEB).toEvaluate().toBuilder()
                        .setSession(session.id())
                        .build();
                assertReason(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> b.evaluate(asked));
                b.call(
                        ProtocolMethod.CLOSE_SESSION,
                        io.evenkeel.v1.CloseSessionRequest.newBuilder()
                                .setSession(session.id())
                                .build());
                assertEquals(List.of("z1"), best(session));
            }
        }
    }

    @Test
    void sessionsOfOneCaller_leaveBytesToThoseOfOthers() throws Exception {
        ServerOptions options = ServerOptions.onLoopback(0)
                .withAccess(callersAAndB())
                .withInstance(InstanceOptions.standard()
                        .withLimits(Limits.builder()
                                .sessionBytes(100_000)
                                .callerSessionBytes(60_000)
                                .build()));
        try (TestServer guarded = TestServer.start(options);
                PlacementClient a = withToken(guarded, "a" + SECRET);
                PlacementClient b = withToken(guarded, "b" + SECRET)) {
            addNode(a);
            try (Session two = a.openSession();
                    Session others = b.openSession()) {
                try (Session one = a.openSession()) {
                    one.place(large("first"), "z1");
                    assertReason(ErrorReason.ERROR_REASON_STATE_FULL, () -> two.place(large("second"), "z1"));
                    others.place(large("third"), "z1");
                }
                two.place(large("second"), "z1");
            }
        }
    }

    /** A pod of 40,000 bytes. */
    private static Pod large(String name) {
        Pod pod = pod(name, "");
        return pod.toBuilder()
                .setMetadata(pod.getMetadata().toBuilder().putLabels("fill", "x".repeat(40_000)))
                .build();
    }

    private static PlacementClient withToken(TestServer server, String token) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        return RemotePlacement.over(
                ClientInterceptors.intercept(server.channel, MetadataUtils.newAttachHeadersInterceptor(headers)),
                java.time.Duration.ofSeconds(30));
    }

    private static void assertReason(ErrorReason reason, org.junit.jupiter.api.function.Executable call) {
        assertEquals(reason, assertThrows(PlacementException.class, call).reason());
    }

    @Test
    void sessions_areClosed_whenTheServerStops() {
        server.zones(1);
        client.openSession();
        server.server.instance().close();
        assertEquals(0, server.server.instance().simulation().openSessions());
        assertReason(ErrorReason.ERROR_REASON_STOPPING, client::openSession);
    }
}
