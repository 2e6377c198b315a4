package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.Handler;
import io.evenkeel.placement.call.Request;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.AddedPod;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FittingNodes;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.NodeGroup;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.PendingPods;
import io.evenkeel.v1.PlaceGroupRequest;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WorkloadReference;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fuzzes the calls whose requests are read from bytes. The generated parser decides which bytes are a request, and all
 * encodings of a request must have the same answer.
 */
final class RequestFuzz {
    private static final Instance INSTANCE = new Instance(InstanceOptions.standard());
    private static final PodReference KNOWN =
            PodReference.newBuilder().setUid("z1-1").build();

    /** A method, and an example of its requests. */
    private record Method(Handler<?, ?> handler, Message request) {}

    private static final List<Method> METHODS = methods(INSTANCE.placement());

    static {
        INSTANCE.clusterState().apply(Messages.apply(Messages.zones(3, 1, 0)));
    }

    /** The position of the method, then a request. */
    static Stream<byte[]> seeds() {
        return Stream.iterate(0, i -> i < METHODS.size(), i -> i + 1)
                .map(i -> ByteString.copyFrom(new byte[] {i.byteValue()})
                        .concat(METHODS.get(i).request().toByteString())
                        .toByteArray());
    }

    @MethodSource("seeds")
    @FuzzTest
    void request_hasTheSameAnswer_inEachEncoding(byte[] data) throws InvalidProtocolBufferException {
        if (data.length == 0) {
            return;
        }
        Method method = METHODS.get(Math.floorMod(data[0], METHODS.size()));
        byte[] bytes = Arrays.copyOfRange(data, 1, data.length);
        MessageLite request;
        try {
            request = DiscardUnknownFieldsParser.wrap(method.request().getParserForType())
                    .parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            Outcome refused = outcome(method.handler(), bytes);
            assertEquals(ErrorReason.ERROR_REASON_MALFORMED_REQUEST, refused.reason());
            return;
        }
        Outcome expected = outcome(method.handler(), request.toByteArray());
        assertEquals(expected, outcome(method.handler(), bytes));
        // The first one may have cached the pods and options.
        assertEquals(expected, outcome(method.handler(), request.toByteArray()));
    }

    /** The response, or the reason why there is none. Of several invalid fields, the first in the bytes is reported. */
    private record Outcome(ErrorReason reason, ByteString response) {}

    private static <Q extends Request, A> Outcome outcome(Handler<Q, A> handler, byte[] bytes) {
        FutureCall<A> call = new FutureCall<>(Duration.ZERO);
        call.attempt(() -> handler.handle(handler.parse(bytes, call), call));
        try {
            A answer = call.join();
            return new Outcome(
                    ErrorReason.ERROR_REASON_UNSPECIFIED,
                    answer instanceof ResponseBytes response
                            ? ByteString.copyFrom(response.toByteArray())
                            : ((MessageLite) answer).toByteString());
        } catch (CompletionException e) {
            if (e.getCause() instanceof RequestException refused) {
                if (refused.reason() == ErrorReason.ERROR_REASON_INVALID_FIELD) {
                    assertFalse(refused.violations().isEmpty(), refused.getMessage());
                }
                return new Outcome(refused.reason(), ByteString.EMPTY);
            }
            throw e;
        }
    }

    // ---- Requests

    private static List<Method> methods(PlacementHandler placement) {
        QueryOptions options = QueryOptions.newBuilder()
                .setCandidates(Candidates.newBuilder().setFitting(FittingNodes.getDefaultInstance()))
                .setForm(AnswerForm.ANSWER_FORM_PACKED)
                .build();
        Overlay overlay = Overlay.newBuilder()
                .addWithout(KNOWN)
                .addAdd(AddedPod.newBuilder().setReference(KNOWN).setNode("z3"))
                .build();
        WorkloadReference workload = WorkloadReference.newBuilder()
                .setNamespace(NAMESPACE)
                .setKind("ReplicaSet")
                .setName("web")
                .build();
        PendingPods pending =
                PendingPods.newBuilder().setPod(web(hard(ZONE))).setCount(3).build();
        EvaluateRequest evaluate = EvaluateRequest.newBuilder()
                .addPods(web(hard(ZONE), soft(HOSTNAME)))
                .addPods(web(soft(ZONE)))
                .setOptions(options)
                .setOverlay(overlay)
                .build();
        return List.of(
                new Method(
                        placement.filter(),
                        FilterRequest.newBuilder().addPods(web(hard(ZONE))).build()),
                new Method(
                        placement.score(),
                        ScoreRequest.newBuilder().addPods(web(soft(HOSTNAME))).build()),
                new Method(placement.evaluate(), evaluate),
                new Method(
                        placement.evaluateStream(),
                        EvaluateStreamRequest.newBuilder()
                                .setRequest(evaluate)
                                .setTag(7)
                                .build()),
                new Method(
                        placement.whatIf(),
                        WhatIfRequest.newBuilder()
                                .setPod(web(hard(ZONE)))
                                .addCases(WhatIfCase.newBuilder().setNode("z1").setOverlay(overlay))
                                .build()),
                new Method(
                        placement.preempt(),
                        PreemptRequest.newBuilder().setPod(web(hard(ZONE))).build()),
                new Method(
                        placement.explain(),
                        ExplainRequest.newBuilder()
                                .setPodReference(KNOWN)
                                .setOverlay(overlay)
                                .build()),
                new Method(
                        placement.listSpread(),
                        ListSpreadRequest.newBuilder()
                                .addNamespaces(NAMESPACE)
                                .setIncludeDomains(true)
                                .build()),
                new Method(
                        placement.rankVictims(),
                        RankVictimsRequest.newBuilder()
                                .setWorkload(workload)
                                .setCount(2)
                                .build()),
                new Method(
                        placement.estimateNodes(),
                        EstimateNodesRequest.newBuilder()
                                .addGroups(NodeGroup.newBuilder()
                                        .setName("g")
                                        .setTemplate(Messages.node("", "z4"))
                                        .setMaxCount(3))
                                .addPods(pending)
                                .build()),
                new Method(
                        placement.placeGroup(),
                        PlaceGroupRequest.newBuilder().addPods(pending).build()),
                new Method(
                        placement.simulateRemoval(),
                        SimulateRemovalRequest.newBuilder().addNodes("z1").build()),
                new Method(
                        placement.rebalance(),
                        RebalanceRequest.newBuilder().addWorkloads(workload).build()));
    }
}
