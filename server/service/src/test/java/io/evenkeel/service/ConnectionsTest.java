package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCallHandler;
import io.grpc.health.v1.HealthGrpc;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the counts of open calls, without a transport. */
final class ConnectionsTest {
    /** More than the few calls that each connection can always have. */
    private static final int MANY = 40;

    @Test
    void callsWhoseStartFails_countNoMore() {
        for (MethodDescriptor<?, ?> method : List.of(
                HealthGrpc.getCheckMethod(),
                PlacementGrpc.getEvaluateStreamMethod(),
                ClusterStateGrpc.getSyncMethod())) {
            callsWhoseStartFails_countNoMore(method);
        }
    }

    private static <Q, A> void callsWhoseStartFails_countNoMore(MethodDescriptor<Q, A> method) {
        TransportLimits limits = TransportLimits.DEFAULT.withCalls(1);
        RefusalMetrics refusals = new RefusalMetrics(new SimpleMeterRegistry());
        Connections connections = new Connections(limits, new UnauthenticatedConnections(1, refusals), refusals);
        Attributes connection = connections.transportReady(Attributes.EMPTY);
        IllegalStateException failure = new IllegalStateException("this call does not start");
        ServerCallHandler<Q, A> failing = (call, headers) -> {
            throw failure;
        };
        for (int i = 0; i < MANY; i++) {
            assertSame(
                    failure,
                    assertThrows(
                            IllegalStateException.class,
                            () -> connections.interceptCall(
                                    new UncarriedCall<>(method, connection), new Metadata(), failing)));
        }
    }
}
