package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.constraint;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.WhatIfAnswer;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests WhatIf requests with very many cases and pods, and how they are read from bytes. */
final class WhatIfSizeTest {
    private static final int NODES = 5_000;
    private static final int VICTIMS = 30;
    private static final int MAX_BYTES = 8_000_000;

    /**
     * Every node has thirty pods. The pod may go to nodes with at least ten fewer, so each case removes the victims.
     */
    @Test
    void whatIf_of5000NodesAnd150000Victims_isOneCallOfAtMost8Megabytes() {
        try (Instance instance = new Instance(InstanceOptions.standard())) {
            fill(instance);
            WhatIfRequest.Builder request =
                    WhatIfRequest.newBuilder().setPod(web(constraint(HOSTNAME, 25, "DoNotSchedule")));
            for (int node = 0; node < NODES; node++) {
                WhatIfCase.Builder each = request.addCasesBuilder().setNode(nodeName(node));
                // Node 0 is the emptiest.
                for (int pod = 0; pod < VICTIMS; pod++) {
                    each.getOverlayBuilder()
                            .addWithout(PodReference.newBuilder().setUid(uid(node, pod)));
                }
            }
            WhatIfRequest asked = request.build();
            assertTrue(asked.getSerializedSize() <= MAX_BYTES, asked.getSerializedSize() + " bytes");
            WhatIfResponse response =
                    Queries.of(instance.placement()).prepare(asked).answer();
            assertEquals(NODES, response.getAnswersCount());
            for (WhatIfAnswer answer : response.getAnswersList()) {
                assertEquals(NodeCode.NODE_CODE_SUCCESS, answer.getVerdict().getCode());
                assertEquals(List.of(), answer.getVerdict().getUnknownPodsList());
            }
            WhatIfRequest.Builder asItIs = asked.toBuilder().clearCases();
            for (WhatIfCase each : asked.getCasesList()) {
                asItIs.addCases(each.toBuilder().clearOverlay());
            }
            List<WhatIfAnswer> before = Queries.of(instance.placement())
                    .prepare(asItIs.build())
                    .answer()
                    .getAnswersList();
            for (int node = 0; node < NODES; node++) {
                assertEquals(
                        node == 0 ? NodeCode.NODE_CODE_SUCCESS : NodeCode.NODE_CODE_UNSCHEDULABLE,
                        before.get(node).getVerdict().getCode());
            }
        }
    }

    private static void fill(Instance instance) {
        instance.clusterState().apply(apply(List.of(object(node(nodeName(0), nodeName(0))))));
        instance.engine().write(batch -> {
            for (int node = 0; node < NODES; node++) {
                batch.apply(
                        Change.LISTED,
                        new io.evenkeel.engine.model.NodeObject(
                                nodeName(node), nodeName(node), 0, Map.of(HOSTNAME, nodeName(node)), List.of(), false));
                for (int pod = 0; pod < VICTIMS; pod++) {
                    // Node 0 keeps its count without victims.
                    Map<String, String> labels = node == 0 ? Map.of() : Map.of("app", "web");
                    batch.apply(
                            Change.ADDED,
                            new PodObject(
                                    NAMESPACE,
                                    "pod-" + node + "-" + pod,
                                    uid(node, pod),
                                    0,
                                    labels,
                                    nodeName(node),
                                    false,
                                    false));
                }
            }
        });
    }

    @Test
    void casesShareOnePod_andAWrongCaseIsItsOwn() {
        try (Instance instance = zonesOf(2, 1)) {
            WhatIfRequest request = WhatIfRequest.newBuilder()
                    .setPod(web(hard(ZONE)))
                    .addCases(WhatIfCase.newBuilder().setNode("z1"))
                    .addCases(WhatIfCase.newBuilder())
                    .addCases(without("z1", PodReference.getDefaultInstance()))
                    .addCases(without(
                            "z1", PodReference.newBuilder().setUid("z1-1").build()))
                    .addCases(WhatIfCase.newBuilder().setNode("z2"))
                    .build();
            List<WhatIfAnswer> answers =
                    Queries.of(instance.placement()).prepare(request).answer().getAnswersList();
            assertEquals(
                    NodeCode.NODE_CODE_UNSCHEDULABLE,
                    answers.get(0).getVerdict().getCode());
            assertEquals("node", answers.get(1).getError().getViolations(0).getField());
            assertEquals(
                    "overlay.without[0]",
                    answers.get(2).getError().getViolations(0).getField());
            assertEquals(NodeCode.NODE_CODE_SUCCESS, answers.get(3).getVerdict().getCode());
            assertEquals(NodeCode.NODE_CODE_SUCCESS, answers.get(4).getVerdict().getCode());
            RequestException refused = assertThrows(
                    RequestException.class,
                    () -> Queries.of(instance.placement())
                            .prepare(request.toBuilder().setPod(web(hard(""))).build()));
            assertEquals(
                    "pod.spec.topologySpreadConstraints[0].topologyKey",
                    refused.violations().get(0).getField());
        }
    }

    /** Protobuf merges messages that are split into several pieces, wherever these are. */
    @Test
    void requestInPieces_isOne() throws InvalidProtocolBufferException {
        try (Instance instance = zonesOf(2, 1)) {
            Pod pod = web(hard(ZONE));
            ByteString pieces = WhatIfRequest.newBuilder()
                    .setPod(Pod.newBuilder().setMetadata(pod.getMetadata()))
                    .addCases(without(
                            "z1", PodReference.newBuilder().setUid("z1-1").build()))
                    .build()
                    .toByteString()
                    .concat(WhatIfRequest.newBuilder()
                            .addCases(WhatIfCase.newBuilder().setNode("z1"))
                            .setPod(Pod.newBuilder().setSpec(pod.getSpec()))
                            .build()
                            .toByteString());
            WhatIfResponse whole = Queries.of(instance.placement())
                    .prepare(WhatIfRequest.parseFrom(pieces))
                    .answer();
            assertEquals(
                    List.of(NodeCode.NODE_CODE_SUCCESS, NodeCode.NODE_CODE_UNSCHEDULABLE),
                    whole.getAnswersList().stream()
                            .map(answer -> answer.getVerdict().getCode())
                            .toList());
            assertEquals(
                    whole,
                    Queries.of(instance.placement())
                            .prepare(instance.placement().whatIf().read(pieces.toByteArray(), () -> false))
                            .answer()
                            .parse(WhatIfResponse.parser()));
        }
    }

    @Test
    void bytesThatAreNoRequest_areRefused() {
        try (Instance instance = zonesOf(1)) {
            byte[] cut = ByteString.copyFromUtf8("\n\u0005abc").toByteArray();
            assertThrows(
                    InvalidProtocolBufferException.class,
                    () -> instance.placement().whatIf().read(cut, () -> false));
        }
    }

    @Test
    void tooManyCases_andTooManyPodsTogether_areRefused() {
        Limits limits = Limits.builder().cases(3).names(5).build();
        try (Instance instance = new Instance(InstanceOptions.standard().withLimits(limits))) {
            instance.clusterState().apply(apply(zones(2, 1)));
            WhatIfCase two = without(
                            "z1",
                            PodReference.newBuilder().setUid("z1-1").build(),
                            PodReference.newBuilder().setUid("z1-2").build())
                    .build();
            assertEquals(
                    2,
                    Queries.of(instance.placement())
                            .prepare(request(two, 2))
                            .answer()
                            .getAnswersCount());
            for (int cases : new int[] {3, 4}) {
                RequestException refused = assertThrows(
                        RequestException.class,
                        () -> Queries.of(instance.placement()).prepare(request(two, cases)));
                assertEquals(ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, refused.reason());
                assertEquals("cases", refused.violations().get(0).getField());
            }
        }
    }

    private static WhatIfRequest request(WhatIfCase each, int times) {
        WhatIfRequest.Builder request = WhatIfRequest.newBuilder().setPod(web(hard(ZONE)));
        IntStream.range(0, times).forEach(i -> request.addCases(each));
        return request.build();
    }

    private static Instance zonesOf(int... pods) {
        Instance instance = new Instance(InstanceOptions.standard());
        instance.clusterState().apply(apply(zones(pods)));
        return instance;
    }

    private static WhatIfCase.Builder without(String node, PodReference... pods) {
        WhatIfCase.Builder each = WhatIfCase.newBuilder().setNode(node);
        each.getOverlayBuilder().addAllWithout(List.of(pods));
        return each;
    }

    private static String nodeName(int node) {
        return "ip-10-0-%03d-%03d.internal".formatted(node / 256, node % 256);
    }

    private static String uid(int node, int pod) {
        return new UUID(node, pod).toString();
    }
}
