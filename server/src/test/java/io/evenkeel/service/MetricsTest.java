package io.evenkeel.service;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.v1.QueryOptions;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

/** What a server counts and times. */
final class MetricsTest {
    private static final String FILTER = "evenkeel.v1.Placement/Filter";

    @Test
    void server_countsItsCallsByMethodAndStatus_andWhatItHolds() {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            server.zones(2, 1);
            server.placement.filter(filter(web(hard(ZONE)), web(soft(ZONE))));
            server.placement.filter(filter(web(hard(ZONE))));
            assertThrows(
                    StatusRuntimeException.class,
                    () -> server.placement.filter(filter(web()).toBuilder()
                            .setOptions(QueryOptions.newBuilder().setFormValue(7))
                            .build()));
            assertEquals(2, calls(meters, "OK"));
            assertEquals(1, calls(meters, "INVALID_ARGUMENT"));
            assertEquals(3, meters.get("evenkeel.pods.judged").functionCounter().count());
            assertEquals(
                    2, meters.get("evenkeel.plans.missed").functionCounter().count());
            assertEquals(
                    (double) server.status().getRevision().getCounter(),
                    meters.get("evenkeel.revision").gauge().value());
        }
    }

    private static long calls(MeterRegistry meters, String status) {
        return meters.get("evenkeel.server.calls")
                .tags("method", FILTER, "status", status)
                .timer()
                .count();
    }
}
