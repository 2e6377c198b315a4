package io.evenkeel.service;

import io.evenkeel.engine.EngineStatus;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.PlacementHandler;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** How much an instance holds and has done. */
final class InstanceMetrics implements MeterBinder {
    /** A status walks all pods: all gauges of one look share one. */
    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Instance instance;
    private EngineStatus status;
    private long takenNanos = System.nanoTime();

    InstanceMetrics(Instance instance) {
        this.instance = instance;
        status = instance.engine().status();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        FunctionCounter.builder("evenkeel.pods.judged", instance.placement(), PlacementHandler::podsJudged)
                .description("Pods that were judged")
                .register(registry);
        FunctionCounter.builder("evenkeel.plans.missed", instance.placement(), PlacementHandler::planMisses)
                .description("Plans that had to be compiled because somebody asked")
                .register(registry);
        FunctionCounter.builder("evenkeel.pods.parsed", instance.placement(), PlacementHandler::podsParsed)
                .description("Pods that had to be parsed, none of their kind being known")
                .register(registry);
        Gauge.builder("evenkeel.revision", instance.engine(), SpreadEngine::revision)
                .description("The revision reached")
                .register(registry);
        gauge(registry, "evenkeel.nodes", "Nodes known", EngineStatus::nodes);
        gauge(registry, "evenkeel.pods", "Pods known", EngineStatus::pods);
        gauge(registry, "evenkeel.spread.groups", "Spread groups whose counts are kept", EngineStatus::spreadGroups);
        gauge(registry, "evenkeel.plans", "Plans kept", EngineStatus::plans);
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<EngineStatus> value) {
        Gauge.builder(name, this, metrics -> value.applyAsDouble(metrics.status()))
                .description(description)
                .register(registry);
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
