package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.KindState;
import io.evenkeel.kube.KubeFeedListener;
import io.evenkeel.v1.Refusal;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class KubeMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<Object> heard = new ArrayList<>();
    private final KubeMetrics metrics = new KubeMetrics(registry, new KubeFeedListener() {
        @Override
        public void changed(KindState state) {
            heard.add(state);
        }

        @Override
        public void refused(ObjectKind kind, Refusal refusal) {
            heard.add(refusal);
        }
    });

    private Map<String, Double> phases(String kind) {
        Map<String, Double> phases = new TreeMap<>();
        for (Gauge gauge : registry.get("evenkeel.kube.phase").tag("kind", kind).gauges()) {
            phases.put(String.valueOf(gauge.getId().getTag("phase")), gauge.value());
        }
        return phases;
    }

    @Test
    void gauges_sayInWhichPhaseAKindIs_andOthersHearOfIt() {
        assertEquals(
                Map.of("connecting", 0.0, "listing", 0.0, "watching", 0.0, "waiting", 0.0, "stopped", 0.0),
                phases("pod"));
        KindState listing = new KindState(ObjectKind.POD, KindState.Phase.LISTING, Instant.EPOCH, null);
        KindState waiting = new KindState(ObjectKind.POD, KindState.Phase.WAITING, Instant.EPOCH, "no connection");
        metrics.changed(listing);
        assertEquals(1, phases("pod").get("listing"));
        metrics.changed(waiting);
        assertEquals(
                Map.of("connecting", 0.0, "listing", 0.0, "watching", 0.0, "waiting", 1.0, "stopped", 0.0),
                phases("pod"));
        assertEquals(0, phases("node").get("waiting"));
        Refusal refusal = Refusal.newBuilder().setObject("shop/web-1").build();
        metrics.refused(ObjectKind.POD, refusal);
        assertEquals(List.of(listing, waiting, refusal), heard);
    }
}
