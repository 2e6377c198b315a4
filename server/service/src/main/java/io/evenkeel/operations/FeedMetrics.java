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
 * Registers the metrics of feeds, by kind of object: their progress, their age, and the outcome of the changes they
 * sent. Thread-safe.
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
        gauge(kind, "evenkeel.feed.ready", "1 if the kind has a complete state", state -> state.ready() ? 1 : 0);
        gauge(
                kind,
                "evenkeel.feed.connected",
                "1 if the kind is fed by a stream that is connected to its source",
                state -> state.fed() ? 1 : 0);
        gauge(
                kind,
                "evenkeel.feed.version",
                "The resource version that answers are based on; 0 if unknown",
                FeedState::version);
        meters.add(TimeGauge.builder("evenkeel.feed.age", this, TimeUnit.NANOSECONDS, any -> age(state(kind)))
                .description("Time since the last sign of life from the kind's feed; NaN if there never was one")
                .tag("kind", ServerHealth.name(kind))
                .register(registry));
    }

    private static double age(FeedState state) {
        Duration age = state.age();
        return age == null ? Double.NaN : age.toNanos();
    }

    private void changes(ObjectKind kind, String outcome, ToDoubleFunction<FeedState> count) {
        meters.add(FunctionCounter.builder("evenkeel.feed.changes", this, any -> count.applyAsDouble(state(kind)))
                .description("Objects and events received from feeds and from Apply, by outcome")
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
