package io.evenkeel.service;

import io.evenkeel.engine.EngineStatus;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.PlacementHandler;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How much an instance holds and has done, until it is closed. To be held as long: a registry does not hold what its
 * meters look at.
 */
final class InstanceMetrics implements AutoCloseable {
    /** A status walks all pods: all gauges of one look share one. */
    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Instance instance;
    private final MeterRegistry registry;
    private final List<Meter> meters;
    private EngineStatus status;

    /** The first look takes one of its own. */
    private long takenNanos = System.nanoTime() - STATUS_NANOS - 1;

    InstanceMetrics(Instance instance, MeterRegistry registry) {
        this.instance = instance;
        this.registry = registry;
        status = instance.engine().status();
        PlacementHandler placement = instance.placement();
        meters = List.of(
                counter("evenkeel.pods.judged", "Pods that were judged", placement::podsJudged),
                counter(
                        "evenkeel.plans.missed",
                        "Plans that had to be compiled because somebody asked",
                        placement::planMisses),
                counter(
                        "evenkeel.pods.parsed",
                        "Pods that had to be parsed, none of their kind being known",
                        placement::podsParsed),
                counter(
                        "evenkeel.plans.compiled",
                        "Plans that were compiled and kept, for whatever reason",
                        instance.engine()::plansCompiled),
                TimeGauge.builder(
                                "evenkeel.writes.longest",
                                this,
                                TimeUnit.NANOSECONDS,
                                any -> instance.engine().longestWriteNanos())
                        .description("The longest that one write has shut all readers out so far")
                        .register(registry),
                gauge("evenkeel.revision", "The revision reached", instance.engine()::revision),
                gauge("evenkeel.nodes", "Nodes known", () -> status().nodes()),
                gauge("evenkeel.pods", "Pods known", () -> status().pods()),
                gauge("evenkeel.spread.groups", "Spread groups whose counts are kept", () -> status().spreadGroups()),
                gauge("evenkeel.plans", "Plans kept", () -> status().plans()));
    }

    private Meter counter(String name, String description, LongSupplier value) {
        return FunctionCounter.builder(name, this, any -> value.getAsLong())
                .description(description)
                .register(registry);
    }

    private Meter gauge(String name, String description, LongSupplier value) {
        return Gauge.builder(name, this, any -> value.getAsLong())
                .description(description)
                .register(registry);
    }

    /** Takes the meters back: another instance may have ones of their names. */
    @Override
    public void close() {
        meters.forEach(registry::remove);
    }

    private synchronized EngineStatus status() {
        long now = System.nanoTime();
        if (now - takenNanos > STATUS_NANOS) {
            status = instance.engine().status();
            takenNanos = now;
        }
        return status;
    }
}
