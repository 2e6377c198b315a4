package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class RefusalMetricsTest {
    /** Alerts and dashboards rely on these. */
    @Test
    void refusals_areCounted_byTheLabelsThatOperatorsKnow() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        RefusalMetrics refusals = new RefusalMetrics(meters);
        refusals.count(RefusalMetrics.Why.STALLED);
        refusals.count(RefusalMetrics.Why.STALLED);
        refusals.count(RefusalMetrics.Why.ACCESS);
        Map<String, Double> counts = new TreeMap<>();
        for (Counter each : meters.get("evenkeel.server.refusals").counters()) {
            counts.put(String.valueOf(each.getId().getTag("why")), each.count());
        }
        assertEquals(
                Set.of("bytes", "stalled", "busy", "connections", "newcomers", "calls", "access"), counts.keySet());
        assertEquals(2, counts.get("stalled"));
        assertEquals(1, counts.get("access"));
        assertEquals(0, counts.get("busy"));
    }
}
