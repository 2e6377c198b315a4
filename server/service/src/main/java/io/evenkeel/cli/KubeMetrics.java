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
 * Registers what the feed of each kind from an API server does, and passes on what it hears. Of the gauges of a kind,
 * the one of its phase is 1 and the others are 0. Safe for use by several threads.
 */
final class KubeMetrics implements KubeFeedListener {
    private final KubeFeedListener next;
    private final AtomicReferenceArray<KindState.Phase> phases = new AtomicReferenceArray<>(ObjectKind.values().length);

    /** @param next hears the same after it */
    KubeMetrics(MeterRegistry registry, KubeFeedListener next) {
        this.next = next;
        for (ObjectKind kind : ObjectKind.ALL) {
            for (KindState.Phase phase : KindState.Phase.values()) {
                Gauge.builder("evenkeel.kube.phase", this, any -> phases.get(kind.ordinal()) == phase ? 1 : 0)
                        .description("1 for what the feed from the API server does, 0 for what it does not")
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
