package io.evenkeel.operations;

import io.evenkeel.engine.EngineStatus;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.PlacementHandler;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Registers the metrics of an instance. Thread-safe. */
public final class InstanceMetrics implements AutoCloseable {
    /**
     * How long a status is reused. Gauges that are read at the same time agree with each other, and the lock is taken
     * once for all of them.
     */
    static final Duration LONGEST_USED = Duration.ofSeconds(1);

    private static final String PREFIX = "evenkeel.";

    private final Instance instance;
    private final MeterRegistry registry;
    private final RecentValue<EngineStatus> status;

    public InstanceMetrics(Instance instance, MeterRegistry registry) {
        this.instance = instance;
        this.registry = registry;
        status = new RecentValue<>(
                LONGEST_USED, instance.engine()::status, instance.clock().nanos());
        PlacementHandler placement = instance.placement();
        instance.engine().probeHolds(new LockHolds(registry));
        new FeedMetrics(instance, registry).register();
        for (Assumption outcome : Assumption.values()) {
            FunctionCounter.builder(
                            "evenkeel.assumptions",
                            this,
                            any -> instance.clusterState().assumed(outcome))
                    .description("Pods that callers assumed to be bound, by outcome")
                    .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        counter("evenkeel.pods.judged", "Pods evaluated", placement::podsJudged);
        counter(
                "evenkeel.plans.missed",
                "Plans compiled because a request needed one that was not cached",
                placement::planMisses);
        counter(
                "evenkeel.pods.parsed",
                "Pods parsed because no pod with the same relevant bytes was known",
                placement::podsParsed);
        counter(
                "evenkeel.plans.compiled",
                "Plans compiled and cached, for any reason",
                instance.engine()::plansCompiled);
        TimeGauge.builder(
                        "evenkeel.writes.longest",
                        this,
                        TimeUnit.NANOSECONDS,
                        any -> instance.engine().longestWriteNanos())
                .description("The longest time so far that a single write has blocked all readers")
                .register(registry);
        gauge("evenkeel.revision", "The current revision", instance.engine()::revision);
        gauge("evenkeel.nodes", "Known nodes", () -> status.get().nodes());
        gauge("evenkeel.pods", "Known pods", () -> status.get().pods());
        gauge(
                "evenkeel.spread.groups",
                "Spread groups with maintained counts",
                () -> status.get().spreadGroups());
        gauge(
                "evenkeel.pods.assumed",
                "Pods that are assumed to be bound and not yet confirmed by the watch",
                () -> status.get().assumedPods());
        gauge(
                "evenkeel.pods.on.unknown.nodes",
                "Pods bound to unknown nodes; they are not counted",
                () -> status.get().podsOnUnknownNodes());
        gauge("evenkeel.sessions", "Open sessions", instance.simulation()::openSessions);
        gauge("evenkeel.watched.pods", "Pods that WatchUnblocked watches", placement.watchUnblocked()::watchedPods);
        gauge(
                "evenkeel.watched.kinds",
                "Kinds of pods that WatchUnblocked watches",
                placement.watchUnblocked()::watchedKinds);
        gauge("evenkeel.plans", "Cached plans", () -> status.get().plans());
    }

    private void counter(String name, String description, LongSupplier value) {
        FunctionCounter.builder(name, this, any -> value.getAsLong())
                .description(description)
                .register(registry);
    }

    private void gauge(String name, String description, LongSupplier value) {
        Gauge.builder(name, this, any -> value.getAsLong())
                .description(description)
                .register(registry);
    }

    /** Removes the meters that read a server, so that those of another one can have the same names. */
    @Override
    public void close() {
        instance.engine().probeHolds(null);
        registry.getMeters().stream()
                .filter(meter -> meter instanceof Gauge || meter instanceof FunctionCounter)
                .filter(meter -> meter.getId().getName().startsWith(PREFIX))
                .forEach(registry::remove);
    }
}
