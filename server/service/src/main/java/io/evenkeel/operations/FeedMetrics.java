package io.evenkeel.operations;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.FeedState;
import io.evenkeel.placement.Instance;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Registers the metrics of feeds, by kind of object: how far they are, how old, and what came of what they told. Safe
 * for use by several threads.
 */
final class FeedMetrics {
    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();
    private final RecentValue<List<FeedState>> states;

    FeedMetrics(Instance instance, MeterRegistry registry) {
        this.registry = registry;
        states = new RecentValue<>(
                InstanceMetrics.LONGEST_USED,
                instance.clusterState()::feedStates,
                instance.clock().nanos());
        ObjectKind.ALL.forEach(this::register);
    }

    List<Meter> meters() {
        return meters;
    }

    private void register(ObjectKind kind) {
        changes(kind, "applied", FeedState::applied);
        changes(kind, "unchanged", FeedState::unchanged);
        changes(kind, "refused", FeedState::refused);
        changes(kind, "bookmark", FeedState::bookmarks);
        gauge(kind, "evenkeel.feed.ready", "1 where there is a state of the kind", state -> state.ready() ? 1 : 0);
        gauge(
                kind,
                "evenkeel.feed.connected",
                "1 where a stream feeds the kind, from a source that it reaches",
                state -> state.fed() ? 1 : 0);
        gauge(
                kind,
                "evenkeel.feed.version",
                "The resource version that answers rest on; 0 where it is not known",
                FeedState::version);
        meters.add(TimeGauge.builder("evenkeel.feed.age", this, TimeUnit.NANOSECONDS, any -> age(state(kind)))
                .description("How long ago the kind's feed was heard of; not a number where it never was")
                .tag("kind", ServerHealth.name(kind))
                .register(registry));
    }

    private static double age(FeedState state) {
        Duration age = state.age();
        return age == null ? Double.NaN : age.toNanos();
    }

    private void changes(ObjectKind kind, String outcome, ToDoubleFunction<FeedState> count) {
        meters.add(FunctionCounter.builder("evenkeel.feed.changes", this, any -> count.applyAsDouble(state(kind)))
                .description("Objects and events of feeds, and of Apply, by what came of them")
                .tag("kind", ServerHealth.name(kind))
                .tag("outcome", outcome)
                .register(registry));
    }

    private void gauge(ObjectKind kind, String name, String description, ToDoubleFunction<FeedState> value) {
        meters.add(Gauge.builder(name, this, any -> value.applyAsDouble(state(kind)))
                .description(description)
                .tag("kind", ServerHealth.name(kind))
                .register(registry));
    }

    private FeedState state(ObjectKind kind) {
        return states.get().get(kind.ordinal());
    }
}
