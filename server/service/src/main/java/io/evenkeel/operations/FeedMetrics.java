package io.evenkeel.operations;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.call.KindFeedState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Registers the metrics of feeds, by kind of object: their progress, their age, and the outcome of the changes they
 * sent. Thread-safe.
 */
record FeedMetrics(Instance instance, MeterRegistry registry) {
    void register() {
        ObjectKind.ALL.forEach(this::register);
    }

    private void register(ObjectKind kind) {
        changes(kind, "applied", feed -> feed.received().applied());
        changes(kind, "unchanged", feed -> feed.received().unchanged());
        changes(kind, "refused", KindFeedState::refused);
        changes(kind, "bookmark", feed -> feed.received().bookmarks());
        gauge(kind, "evenkeel.feed.ready", "1 if the kind has a complete state", feed -> feed.isReady() ? 1 : 0);
        gauge(
                kind,
                "evenkeel.feed.connected",
                "1 if the kind is fed by a stream that is connected to its source",
                feed -> feed.since() != null ? 1 : 0);
        gauge(
                kind,
                "evenkeel.feed.version",
                "The resource version that answers are based on; 0 if unknown",
                KindFeedState::version);
        TimeGauge.builder("evenkeel.feed.age", this, TimeUnit.NANOSECONDS, any -> age(feed(kind)))
                .description("Time since the last sign of life from the kind's feed; NaN if there never was one")
                .tag("kind", ServerHealth.name(kind))
                .register(registry);
    }

    private double age(KindFeedState feed) {
        Long heardAt = feed.received().heardAt();
        return heardAt == null ? Double.NaN : instance.clock().nanos().getAsLong() - heardAt;
    }

    private void changes(ObjectKind kind, String outcome, ToDoubleFunction<KindFeedState> count) {
        FunctionCounter.builder("evenkeel.feed.changes", this, any -> count.applyAsDouble(feed(kind)))
                .description("Objects and events received from feeds and from Apply, by outcome")
                .tag("kind", ServerHealth.name(kind))
                .tag("outcome", outcome)
                .register(registry);
    }

    private void gauge(ObjectKind kind, String name, String description, ToDoubleFunction<KindFeedState> value) {
        Gauge.builder(name, this, any -> value.applyAsDouble(feed(kind)))
                .description(description)
                .tag("kind", ServerHealth.name(kind))
                .register(registry);
    }

    private KindFeedState feed(ObjectKind kind) {
        return instance.clusterState().feed(kind);
    }
}
