package io.evenkeel.cli;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.KindState;
import io.evenkeel.kube.KubeFeedListener;
import io.evenkeel.operations.ServerHealth;
import io.evenkeel.v1.Refusal;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Registers gauges for the phase of each kind's feed from an API server, and forwards all notifications. The gauge of
 * the current phase is 1 and the others are 0. Thread-safe.
 */
final class KubeMetrics implements KubeFeedListener {
    private final KubeFeedListener next;
    private final AtomicReferenceArray<KindState.Phase> phases = new AtomicReferenceArray<>(ObjectKind.values().length);

    /** @param next receives the same notifications afterwards */
    KubeMetrics(MeterRegistry registry, KubeFeedListener next) {
        this.next = next;
        for (ObjectKind kind : ObjectKind.ALL) {
            for (KindState.Phase phase : KindState.Phase.values()) {
                Gauge.builder("evenkeel.kube.phase", this, any -> phases.get(kind.ordinal()) == phase ? 1 : 0)
                        .description("1 for the current phase of the feed from the API server, 0 for the others")
                        .tag("kind", ServerHealth.name(kind))
                        .tag("phase", phase.name().toLowerCase(Locale.ROOT))
                        .strongReference(true)
                        .register(registry);
            }
        }
    }

    @Override
    public void changed(KindState state) {
        phases.set(state.kind().ordinal(), state.phase());
        next.changed(state);
    }

    @Override
    public void refused(ObjectKind kind, Refusal refusal) {
        next.refused(kind, refusal);
    }
}
