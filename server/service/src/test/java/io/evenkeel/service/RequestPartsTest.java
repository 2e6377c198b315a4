package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RequestPartsTest {
    private final RequestParts ofEvaluate = new RequestParts(EvaluateRequest.getDescriptor());

    private static EvaluateRequest pods(int count) {
        return EvaluateRequest.newBuilder()
                .addAllPods(Collections.nCopies(count, Pod.getDefaultInstance()))
                .build();
    }

    private static TopologySpreadConstraint constraint() {
        return TopologySpreadConstraint.newBuilder().setMaxSkew(1).build();
    }

    /** A request with {@code count} constraints, each of which is one part, in one pod. */
    private static EvaluateRequest constraints(int count) {
        Pod.Builder pod = Pod.newBuilder();
        pod.getSpecBuilder().addAllTopologySpreadConstraints(Collections.nCopies(count, constraint()));
        return EvaluateRequest.newBuilder().addPods(pod).build();
    }

    @Test
    void partsAreCounted_onEachLevel() {
        int podAndSpec = 2;
        assertFalse(ofEvaluate.areTooMany(
                constraints(RequestParts.MAX_PARTS - podAndSpec).toByteArray()));
        assertTrue(ofEvaluate.areTooMany(
                constraints(RequestParts.MAX_PARTS - podAndSpec + 1).toByteArray()));
    }

    @Test
    void stringsAndMapEntriesAreParts_textIsNot() {
        RequestParts ofNodeSet = new RequestParts(RegisterNodeSetRequest.getDescriptor());
        RegisterNodeSetRequest names = RegisterNodeSetRequest.newBuilder()
                .addAllNames(Collections.nCopies(RequestParts.MAX_PARTS, "n"))
                .build();
        assertFalse(ofNodeSet.areTooMany(names.toByteArray()));
        assertTrue(ofNodeSet.areTooMany(names.toBuilder().addNames("n").build().toByteArray()));
        String longest = "n".repeat(3 * RequestParts.MAX_PARTS);
        assertFalse(ofNodeSet.areTooMany(
                RegisterNodeSetRequest.newBuilder().addNames(longest).build().toByteArray()));
        Pod.Builder pod = Pod.newBuilder();
        int partsOfALabel = 3;
        for (int i = 0; i <= RequestParts.MAX_PARTS / partsOfALabel; i++) {
            pod.getMetadataBuilder().putLabels("key-" + i, "v");
        }
        assertTrue(ofEvaluate.areTooMany(
                EvaluateRequest.newBuilder().addPods(pod).build().toByteArray()));
    }

    /** The parser creates objects until it reaches the error. */
    @Test
    void partsBeforeAFaultAreCounted() {
        RequestParts ofNodeSet = new RequestParts(RegisterNodeSetRequest.getDescriptor());
        for (int names : new int[] {RequestParts.MAX_PARTS, RequestParts.MAX_PARTS + 1}) {
            byte[] sound = RegisterNodeSetRequest.newBuilder()
                    .addAllNames(Collections.nCopies(names, "n"))
                    .build()
                    .toByteArray();
            // A field number without a value.
            byte[] faulty = Arrays.copyOf(sound, sound.length + 1);
            faulty[sound.length] = sound[0];
            assertEquals(names > RequestParts.MAX_PARTS, ofNodeSet.areTooMany(faulty));
        }
    }

    /** The parser drops them. */
    @Test
    void unknownFieldsAreNoParts() {
        UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
        for (int i = 0; i <= RequestParts.MAX_PARTS; i++) {
            field.addLengthDelimited(ByteString.EMPTY);
        }
        EvaluateRequest request = pods(1).toBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(1_000, field.build())
                        .build())
                .build();
        assertFalse(ofEvaluate.areTooMany(request.toByteArray()));
    }

    @Test
    void requestOfTooManyParts_isRefused_andOthersAreAnswered() {
        try (TestServer server = TestServer.start()) {
            ManagedChannel channel = server.channel;
            StatusRuntimeException refused = assertThrows(
                    StatusRuntimeException.class,
                    () -> PlacementGrpc.newBlockingStub(channel).evaluate(pods(RequestParts.MAX_PARTS + 1)));
            assertEquals(ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, CallReasonsTest.reasonOf(refused));
            assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
            assertEquals(
                    "a request must have at most 1048576 messages and strings: send it in parts",
                    refused.getStatus().getDescription());
            assertEquals(
                    Status.Code.UNAVAILABLE,
                    assertThrows(
                                    StatusRuntimeException.class,
                                    () -> PlacementGrpc.newBlockingStub(channel).evaluate(pods(1)))
                            .getStatus()
                            .getCode());
        }
    }
}
