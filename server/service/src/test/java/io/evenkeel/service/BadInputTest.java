package io.evenkeel.service;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.added;
import static io.evenkeel.placement.Messages.constraint;
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

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.v1.Advice;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.NodeNames;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that bad input of any kind gets a clear answer, does not change the state, and does not stop the server. */
final class BadInputTest {
    private static final int MILLION = 1_000_000;

    private final TestServer server = TestServer.start(InstanceOptions.standard()
            .withLimits(Limits.builder().responseBytes(200_000).build()));
    private Revision before = Revision.getDefaultInstance();

    @BeforeEach
    void feed() {
        before = server.zones(2, 1).getRevision();
    }

    @AfterEach
    void server_isAsItWas() {
        assertEquals(before, server.status().getRevision());
        assertEquals(
                1,
                server.placement
                        .filter(filter(web(hard(ZONE))))
                        .getAnswers(0)
                        .getReadable()
                        .getPassedCount());
        server.close();
    }

    static Stream<Arguments> malformedBytes() {
        byte[] whole = filter(web(hard(ZONE))).toByteArray();
        byte[] cut = Arrays.copyOf(whole, whole.length - 3);
        UnknownFieldSet nested = UnknownFieldSet.getDefaultInstance();
        for (int depth = 0; depth < 1_000; depth++) {
            nested = UnknownFieldSet.newBuilder()
                    .addField(
                            15,
                            UnknownFieldSet.Field.newBuilder().addGroup(nested).build())
                    .build();
        }
        byte[] notUtf8 =
                RegisterNodeSetRequest.newBuilder().addNames("xx").build().toByteArray();
        notUtf8[notUtf8.length - 1] = (byte) 0xff;
        return Stream.of(
                Arguments.of("Filter, cut in the middle", PlacementGrpc.getFilterMethod(), cut),
                Arguments.of("Filter, noise", PlacementGrpc.getFilterMethod(), noise()),
                Arguments.of("Filter, groups in groups", PlacementGrpc.getFilterMethod(), nested.toByteArray()),
                Arguments.of("Evaluate, noise", PlacementGrpc.getEvaluateMethod(), noise()),
                Arguments.of("WhatIf, noise", PlacementGrpc.getWhatIfMethod(), noise()),
                Arguments.of("Explain, noise", PlacementGrpc.getExplainMethod(), noise()),
                Arguments.of("RegisterNodeSet, not UTF-8", PlacementGrpc.getRegisterNodeSetMethod(), notUtf8),
                Arguments.of("Apply, noise", ClusterStateGrpc.getApplyMethod(), noise()),
                Arguments.of("Assume, noise", ClusterStateGrpc.getAssumeMethod(), noise()));
    }

    private static byte[] noise() {
        return new byte[] {10, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 15, 1, 2, 3};
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void malformedBytes(String name, MethodDescriptor<?, ?> method, byte[] bytes) {
        assertMalformed(assertThrows(StatusRuntimeException.class, () -> send(method, bytes)), name);
    }

    @Test
    void malformedBytes_endAStream() throws Exception {
        for (MethodDescriptor<?, ?> method :
                List.of(PlacementGrpc.getEvaluateStreamMethod(), ClusterStateGrpc.getSyncMethod())) {
            var stream = ClientCalls.blockingBidiStreamingCall(server.channel, raw(method), CallOptions.DEFAULT);
            stream.write(noise());
            StatusException ended = assertThrows(StatusException.class, stream::read);
            assertMalformed(ended.getStatus().asRuntimeException(ended.getTrailers()), method.getFullMethodName());
        }
    }

    private static void assertMalformed(StatusRuntimeException error, String name) {
        assertEquals(Status.Code.INVALID_ARGUMENT, error.getStatus().getCode(), name);
        assertEquals(ErrorReason.ERROR_REASON_MALFORMED_REQUEST, CallReasonsTest.reasonOf(error), name);
        assertTrue(
                String.valueOf(error.getStatus().getDescription()).startsWith("the request is malformed protobuf: "),
                error.getMessage());
    }

    /** Requests that are rejected as a whole: the code, the named field, and the call. */
    static Stream<Arguments> refusedRequests() {
        NodeNames gap = NodeNames.newBuilder().addNames("z1").addNames("").build();
        return Stream.of(
                refused(
                        "too many pods",
                        Status.Code.RESOURCE_EXHAUSTED,
                        "pods",
                        server -> server.placement.filter(FilterRequest.newBuilder()
                                .addAllPods(Collections.nCopies(1_025, web()))
                                .build())),
                refused(
                        "a million pods",
                        Status.Code.RESOURCE_EXHAUSTED,
                        "pods",
                        server -> server.placement.evaluate(EvaluateRequest.newBuilder()
                                .addAllPods(Collections.nCopies(MILLION, Pod.getDefaultInstance()))
                                .build())),
                refused("too large an answer", Status.Code.RESOURCE_EXHAUSTED, "pods", server -> {
                    // Two nodes of some 128 bytes each for every pod: more than the server's limit for responses.
                    server.placement.filter(FilterRequest.newBuilder()
                            .addAllPods(Collections.nCopies(1_024, web(hard(ZONE))))
                            .setOptions(QueryOptions.newBuilder().setEveryNode(true))
                            .build());
                }),
                refused(
                        "a gap in the names",
                        Status.Code.INVALID_ARGUMENT,
                        "options.candidates.named.names[1]",
                        server -> ask(
                                server,
                                QueryOptions.newBuilder()
                                        .setCandidates(Candidates.newBuilder().setNamed(gap)))),
                refused(
                        "an unknown form",
                        Status.Code.INVALID_ARGUMENT,
                        "options.form",
                        server -> ask(server, QueryOptions.newBuilder().setFormValue(9))),
                refused(
                        "an unknown kind of defaults",
                        Status.Code.INVALID_ARGUMENT,
                        "options.defaults.type",
                        server -> ask(
                                server,
                                QueryOptions.newBuilder()
                                        .setDefaults(
                                                DefaultConstraints.newBuilder().setTypeValue(9)))),
                refused(
                        "defaults with a selector",
                        Status.Code.INVALID_ARGUMENT,
                        "options.defaults.constraints[0].labelSelector",
                        server -> ask(
                                server,
                                QueryOptions.newBuilder()
                                        .setDefaults(DefaultConstraints.newBuilder()
                                                .setType(DefaultConstraints.Type.TYPE_LIST)
                                                .addConstraints(soft(ZONE))))),
                refused(
                        "defaults without a type",
                        Status.Code.INVALID_ARGUMENT,
                        "options.defaults.constraints",
                        server -> ask(
                                server,
                                QueryOptions.newBuilder()
                                        .setDefaults(
                                                DefaultConstraints.newBuilder().addConstraints(soft(ZONE))))),
                refused(
                        "System with constraints",
                        Status.Code.INVALID_ARGUMENT,
                        "defaults.constraints",
                        server -> server.placement.whatIf(WhatIfRequest.newBuilder()
                                .setPod(web(hard(ZONE)))
                                .setDefaults(DefaultConstraints.newBuilder()
                                        .setType(DefaultConstraints.Type.TYPE_SYSTEM)
                                        .addConstraints(soft(ZONE).toBuilder().clearLabelSelector()))
                                .build())),
                refused(
                        "too many cases",
                        Status.Code.RESOURCE_EXHAUSTED,
                        "cases",
                        server -> server.placement.whatIf(WhatIfRequest.newBuilder()
                                .setPod(web(hard(ZONE)))
                                .addAllCases(Collections.nCopies(16_385, WhatIfCase.getDefaultInstance()))
                                .build())),
                refused(
                        "a wrong pod for every case",
                        Status.Code.INVALID_ARGUMENT,
                        "pod.spec.topologySpreadConstraints[0].maxSkew",
                        server -> server.placement.whatIf(WhatIfRequest.newBuilder()
                                .setPod(web(constraint(ZONE, 0, "DoNotSchedule")))
                                .addCases(WhatIfCase.newBuilder().setNode("z1"))
                                .build())),
                refused(
                        "no pod for the cases",
                        Status.Code.INVALID_ARGUMENT,
                        "pod",
                        server -> server.placement.whatIf(WhatIfRequest.newBuilder()
                                .addCases(WhatIfCase.newBuilder().setNode("z1"))
                                .build())),
                refused(
                        "a name of a node set that no node can have",
                        Status.Code.INVALID_ARGUMENT,
                        "names[1]",
                        server -> server.placement.registerNodeSet(RegisterNodeSetRequest.newBuilder()
                                .addNames("z1")
                                .addNames("z".repeat(254))
                                .build())),
                refused(
                        "nothing to be explained",
                        Status.Code.INVALID_ARGUMENT,
                        "pod",
                        server -> server.placement.explain(ExplainRequest.getDefaultInstance())),
                refused(
                        "nobody to be left out",
                        Status.Code.INVALID_ARGUMENT,
                        "overlay.without[0]",
                        server -> server.placement.explain(ExplainRequest.newBuilder()
                                .setPod(web(hard(ZONE)))
                                .setOverlay(Overlay.newBuilder().addWithout(PodReference.getDefaultInstance()))
                                .build())),
                refused("too large an explanation", Status.Code.RESOURCE_EXHAUSTED, "maxVerdicts", server -> {
                    TopologySpreadConstraint[] many = new TopologySpreadConstraint[64];
                    Arrays.fill(many, hard(ZONE));
                    TestServer small = TestServer.start(InstanceOptions.standard()
                            .withLimits(Limits.builder().responseBytes(4_000).build()));
                    try (small) {
                        small.zones(2, 1);
                        small.placement.explain(
                                ExplainRequest.newBuilder().setPod(web(many)).build());
                    }
                }),
                refused(
                        "too many names",
                        Status.Code.RESOURCE_EXHAUSTED,
                        "names",
                        server -> server.placement.registerNodeSet(RegisterNodeSetRequest.newBuilder()
                                .addAllNames(Collections.nCopies(200_001, "z1"))
                                .build())),
                refused(
                        "too many events",
                        Status.Code.RESOURCE_EXHAUSTED,
                        "events",
                        server -> server.clusterState.apply(ApplyRequest.newBuilder()
                                .addAllEvents(Collections.nCopies(20_001, added(object(pod("p", "z1")))))
                                .build())),
                refused(
                        "too many assumptions",
                        Status.Code.RESOURCE_EXHAUSTED,
                        "pods",
                        server -> server.clusterState.assume(AssumeRequest.newBuilder()
                                .addAllPods(Collections.nCopies(20_001, AssumedPod.getDefaultInstance()))
                                .build())),
                refused(
                        "too many to forget",
                        Status.Code.RESOURCE_EXHAUSTED,
                        "uids",
                        server -> server.clusterState.forget(ForgetRequest.newBuilder()
                                .addAllUids(Collections.nCopies(20_001, "p"))
                                .build())));
    }

    private static Arguments refused(String name, Status.Code code, String field, Consumer<TestServer> call) {
        return Arguments.of(name, code, field, call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void refusedRequests(String name, Status.Code code, String field, Consumer<TestServer> call) {
        StatusRuntimeException error = assertThrows(StatusRuntimeException.class, () -> call.accept(server));
        assertEquals(code, error.getStatus().getCode(), error.getMessage());
        assertEquals(List.of(field), TestServer.fieldsOf(error));
        assertTrue(String.valueOf(error.getMessage()).contains(field), error.getMessage());
    }

    @Test
    void messageBeyondTheSizeThatIsRead_isRefused() {
        ApplyRequest request = ApplyRequest.newBuilder()
                .addEvents(added(object(pod("p".repeat(17 << 20), "z1"))))
                .build();
        StatusRuntimeException error =
                assertThrows(StatusRuntimeException.class, () -> server.clusterState.apply(request));
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, error.getStatus().getCode(), error.getMessage());
    }

    @Test
    void tooManyObjects_endASync() throws Exception {
        var stream = ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
        stream.write(SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addAllObjects(Collections.nCopies(20_001, object(pod("p", "z1")))))
                .build());
        assertEquals(
                Status.Code.RESOURCE_EXHAUSTED,
                assertThrows(StatusException.class, stream::read).getStatus().getCode());
    }

    @Test
    void podOfTenThousandConstraints_isRefusedByItself() {
        TopologySpreadConstraint[] many = new TopologySpreadConstraint[10_000];
        Arrays.fill(many, hard(ZONE));
        List<PodAnswer> answers =
                server.placement.filter(filter(web(many), web(hard(ZONE)))).getAnswersList();
        assertEquals(
                "topologySpreadConstraints must have at most 64 entries, had 10000 (spec.topologySpreadConstraints)",
                answers.get(0).getError().getMessage());
        assertEquals(1, answers.get(1).getReadable().getPassedCount());
    }

    @Test
    @Timeout(60)
    void storedObjectsWithAbsurdlyManyLabels_areRefusedByThemselves_andTheMostAreTakenSoon() {
        ClusterObject.Builder tooMany = object(pod("many", "z1")).toBuilder();
        ClusterObject.Builder most = object(pod("most", "z1")).toBuilder();
        ClusterObject.Builder node = object(node("z9", "z1")).toBuilder();
        for (int i = 0; i < 100_000; i++) {
            tooMany.getPodBuilder().getMetadataBuilder().putLabels("k" + i, "v");
            node.getNodeBuilder().getMetadataBuilder().putLabels("k" + i, "v");
            if (i < 9_000) {
                most.getPodBuilder().getMetadataBuilder().putLabels("k" + i, "v");
            }
        }
        ApplyResponse response = server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(added(tooMany.build()))
                .addEvents(added(node.build()))
                .addEvents(added(most.build()))
                .addEvents(ClusterEvent.newBuilder()
                        .setType(ClusterEvent.Type.TYPE_DELETED)
                        .setObject(most.build()))
                .build());
        assertEquals(2, response.getAppliedCount());
        assertEquals(
                List.of(
                        "metadata.labels must have at most 10000 entries, had 100001",
                        "metadata.labels must have at most 10000 entries, had 100002"),
                response.getRefusalsList().stream()
                        .map(refusal -> refusal.getError().getViolations(0))
                        .map(violation -> violation.getField().replaceFirst("object\\.(pod|node)\\.", "") + " "
                                + violation.getDescription())
                        .toList());
        before = response.getRevision();
    }

    @Test
    @Timeout(60)
    void thousandsOfMatchLabelKeysThatThePodLacks_areExplainedSoon() {
        TopologySpreadConstraint.Builder constraint = hard(ZONE).toBuilder();
        Pod.Builder pod = web().toBuilder();
        for (int i = 0; i < 10_000; i++) {
            constraint.addMatchLabelKeys("a-key-that-it-lacks-" + i);
            if (i < 9_000) {
                pod.getMetadataBuilder().putLabels("a-key-that-it-has-" + i, "v");
            }
        }
        pod.getSpecBuilder().addTopologySpreadConstraints(constraint);
        TestServer large = TestServer.start(InstanceOptions.standard());
        try (large) {
            large.zones(2, 1);
            List<String> advice =
                    large
                            .placement
                            .explain(ExplainRequest.newBuilder().setPod(pod).build())
                            .getAdviceList()
                            .stream()
                            .filter(each -> each.getField().contains("matchLabelKeys"))
                            .map(Advice::getMessage)
                            .toList();
            assertEquals(17, advice.size());
            assertEquals("The pod lacks 9984 more of these keys, which are also ignored.", advice.get(16));
        }
    }

    @Test
    void absurdNumbers_getTheRightAnswer() {
        TopologySpreadConstraint any = constraint(ZONE, Integer.MAX_VALUE, "DoNotSchedule");
        TopologySpreadConstraint never =
                hard(HOSTNAME).toBuilder().setMinDomains(Integer.MAX_VALUE).build();
        TopologySpreadConstraint weighty = constraint(ZONE, Integer.MAX_VALUE, "ScheduleAnyway");
        List<PodAnswer> answers =
                server.placement.filter(filter(web(any), web(never))).getAnswersList();
        assertEquals(2, answers.get(0).getReadable().getPassedCount());
        // There are fewer domains than minDomains, so the minimum is 0, and both nodes have a pod.
        assertEquals(0, answers.get(1).getReadable().getPassedCount());
        PodAnswer scored = server.placement
                .evaluate(EvaluateRequest.newBuilder().addPods(web(weighty)).build())
                .getAnswers(0);
        assertEquals(
                List.of("z1", "z2"),
                scored.getReadable().getBestList().stream()
                        .map(best -> best.getName())
                        .sorted()
                        .toList());
    }

    @Test
    void wrongKindInTheFieldOfAnother_isRefusedOrHarmless() {
        // A node's bytes in the field of a pod: they contain no namespace.
        ApplyRequest request = ApplyRequest.newBuilder()
                .addEvents(added(object(node("z9", "z9"))))
                .build();
        UnknownFieldSet object = UnknownFieldSet.newBuilder()
                .addField(
                        2,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(request.getEvents(0)
                                        .getObject()
                                        .getNode()
                                        .toByteString())
                                .build())
                .build();
        UnknownFieldSet event = UnknownFieldSet.newBuilder()
                .addField(1, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .addField(
                        2,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(object.toByteString())
                                .build())
                .build();
        UnknownFieldSet whole = UnknownFieldSet.newBuilder()
                .addField(
                        1,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(event.toByteString())
                                .build())
                .build();
        byte[] answer = send(ClusterStateGrpc.getApplyMethod(), whole.toByteArray());
        assertTrue(ByteString.copyFrom(answer).toStringUtf8().contains("object.pod.metadata.namespace"));
    }

    @Test
    void unknownFields_areSkipped_andNotKept() throws Exception {
        UnknownFieldSet extra = UnknownFieldSet.newBuilder()
                .addField(
                        99,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFromUtf8("x".repeat(10_000)))
                                .build())
                .build();
        Pod pod = web(hard(ZONE)).toBuilder().setUnknownFields(extra).build();
        FilterRequest filter =
                FilterRequest.newBuilder().addPods(pod).setUnknownFields(extra).build();
        assertEquals(
                1, server.placement.filter(filter).getAnswers(0).getReadable().getPassedCount());
        ExplainRequest explain =
                ExplainRequest.newBuilder().setPod(pod).setUnknownFields(extra).build();
        WorkerPools pools = new WorkerPools(new RefusalMetrics(new SimpleMeterRegistry()));
        Object parsed = RequestParsing.of(
                        new PlacementService(server.server.instance().placement(), pools).bindService(), pools)
                .getMethod(PlacementGrpc.getExplainMethod().getFullMethodName())
                .getMethodDescriptor()
                .parseRequest(new ByteArrayInputStream(explain.toByteArray()));
        assertEquals(
                server.server
                        .instance()
                        .placement()
                        .explain()
                        .query(ExplainRequest.newBuilder()
                                .setPod(web(hard(ZONE)))
                                .build()),
                parsed);
    }

    private static void ask(TestServer server, QueryOptions.Builder options) {
        server.placement.filter(
                filter(web(hard(ZONE))).toBuilder().setOptions(options).build());
    }

    private byte[] send(MethodDescriptor<?, ?> method, byte[] request) {
        return ClientCalls.blockingUnaryCall(server.channel, raw(method), CallOptions.DEFAULT, request);
    }

    /** The same method with messages as bytes. */
    private static MethodDescriptor<byte[], byte[]> raw(MethodDescriptor<?, ?> method) {
        MethodDescriptor.Marshaller<byte[]> bytes = new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(byte[] value) {
                return new ByteArrayInputStream(value);
            }

            @Override
            public byte[] parse(InputStream stream) {
                try {
                    return stream.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        return method.toBuilder(bytes, bytes).build();
    }
}
