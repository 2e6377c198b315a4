package io.evenkeel.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.WhatIfRequest;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The attack with requests of millions of two-byte parts, which take many times as much memory when parsed. */
@Timeout(300)
final class SmallPartsAttack {
    private static final int CALLS = 12;
    private static final int BYTES = 16_000_000;
    private static final int DELIMITED = 2;

    private AttackedServer server;
    private Bystander others;

    @BeforeEach
    void start() throws Exception {
        server = new AttackedServer();
        FedCluster.feed(server.bystander());
        others = new Bystander(server);
        others.watch(3_000).forget();
    }

    @AfterEach
    void stop() throws Exception {
        others.close();
        server.close();
    }

    /** Empty messages or empty strings in the given field. */
    private static byte[] parts(int field) {
        ByteArrayOutputStream parts = new ByteArrayOutputStream(BYTES);
        while (parts.size() < BYTES - 4) {
            write(field << 3 | DELIMITED, parts);
            parts.write(0);
        }
        return parts.toByteArray();
    }

    /** A message with these bytes in the given field. */
    private static byte[] in(int field, byte[] inner) {
        ByteArrayOutputStream outer = new ByteArrayOutputStream(inner.length + 16);
        write(field << 3 | DELIMITED, outer);
        write(inner.length, outer);
        outer.writeBytes(inner);
        return outer.toByteArray();
    }

    private static void write(int varint, ByteArrayOutputStream out) {
        for (int left = varint; ; left >>>= 7) {
            if (left <= 0x7F) {
                out.write(left);
                return;
            }
            out.write(left & 0x7F | 0x80);
        }
    }

    private void attack(String what, MethodDescriptor<? extends MessageLite, ?> method, byte[] request)
            throws InterruptedException {
        MethodDescriptor<byte[], byte[]> raw = method.toBuilder(new EchoProgram.Bytes(), new EchoProgram.Bytes())
                .build();
        ManagedChannel channel = server.attacker();
        CallResults calls = new CallResults();
        for (int i = 0; i < CALLS; i++) {
            calls.call(channel, raw, request, CallOptions.DEFAULT);
        }
        Map<Status.Code, Integer> ends = calls.await(0);
        System.out.printf("%s: %s%n", what, ends);
        assertEquals(Map.of(Status.Code.RESOURCE_EXHAUSTED, CALLS), ends);
        Bystander.Seen seen = others.tell(what);
        assertTrue(seen.longest() < 2_000, seen.toString());
    }

    @Test
    void podsOfAQuery() throws Exception {
        attack("empty pods", PlacementGrpc.getEvaluateMethod(), parts(EvaluateRequest.PODS_FIELD_NUMBER));
    }

    @Test
    void constraintsOfAPod() throws Exception {
        byte[] spec = parts(PodSpec.TOPOLOGY_SPREAD_CONSTRAINTS_FIELD_NUMBER);
        attack(
                "empty constraints",
                PlacementGrpc.getEvaluateMethod(),
                in(EvaluateRequest.PODS_FIELD_NUMBER, in(Pod.SPEC_FIELD_NUMBER, spec)));
    }

    @Test
    void eventsOfAMessage() throws Exception {
        attack("empty events", ClusterStateGrpc.getApplyMethod(), parts(ApplyRequest.EVENTS_FIELD_NUMBER));
    }

    @Test
    void casesOfAWhatIf() throws Exception {
        attack("empty cases", PlacementGrpc.getWhatIfMethod(), parts(WhatIfRequest.CASES_FIELD_NUMBER));
    }

    @Test
    void namesOfANodeSet() throws Exception {
        attack(
                "empty names",
                PlacementGrpc.getRegisterNodeSetMethod(),
                parts(RegisterNodeSetRequest.NAMES_FIELD_NUMBER));
    }
}
