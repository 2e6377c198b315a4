package io.evenkeel.operations;

import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.explain.SpreadSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of how unevenly the pods of workloads are spread, counted from time to time in a separate thread, if the
 * state has changed. The worst workloads have series, which are removed when others are worse. Thread-safe.
 */
public final class SkewMetrics implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SkewMetrics.class.getName());

    /** How many series the worst workloads have. */
    static final int WORST = 20;

    /** Longer than all names that an API server accepts; those of owners can be longer. */
    private static final int LONGEST_LABEL = 320;

    private static final long NOTHING_COUNTED = -1;

    private final Instance instance;
    private final MultiGauge worst;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread counting = new Thread(task, "evenkeel-skew-metrics");
        counting.setDaemon(true);
        return counting;
    });
    private volatile @Nullable SpreadSummary last;
    private long countedRevision = NOTHING_COUNTED;

    private SkewMetrics(Instance instance, MeterRegistry registry) {
        this.instance = instance;
        worst = MultiGauge.builder("evenkeel.skew.worst.excess.pods")
                .description("Pods above the limit of maxSkew in domains of the worst workloads, by topology key")
                .register(registry);
        gauge(
                registry,
                "evenkeel.skew.workloads",
                "Workloads that ListSpread lists",
                Tags.empty(),
                all -> all.workloads());
        String workloads = "Workloads that violate a constraint";
        gauge(
                registry,
                "evenkeel.skew.violating.workloads",
                workloads,
                tags(true),
                all -> all.hard().workloads());
        gauge(
                registry,
                "evenkeel.skew.violating.workloads",
                workloads,
                tags(false),
                all -> all.soft().workloads());
        String excess = "Pods above the limit of maxSkew in domains of all workloads";
        gauge(
                registry,
                "evenkeel.skew.excess.pods",
                excess,
                tags(true),
                all -> all.hard().excess());
        gauge(
                registry,
                "evenkeel.skew.excess.pods",
                excess,
                tags(false),
                all -> all.soft().excess());
    }

    /**
     * Begins to count.
     *
     * @param pause between two counts
     */
    public static SkewMetrics begin(Instance instance, MeterRegistry registry, Duration pause) {
        SkewMetrics begun = new SkewMetrics(instance, registry);
        ScheduledFuture<?> unused =
                begun.thread.scheduleWithFixedDelay(begun::count, 0, pause.toNanos(), TimeUnit.NANOSECONDS);
        return begun;
    }

    private void gauge(
            MeterRegistry registry, String name, String description, Tags tags, ToDoubleFunction<SpreadSummary> value) {
        Gauge.builder(name, this, metrics -> {
                    SpreadSummary counted = metrics.last;
                    return counted == null ? Double.NaN : value.applyAsDouble(counted);
                })
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private static Tags tags(boolean hard) {
        return Tags.of("constraint", hard ? "hard" : "soft");
    }

    private void count() {
        try {
            long revision = instance.engine().revision();
            if (revision == countedRevision) {
                return;
            }
            SpreadSummary counted = instance.placement().listSpread().summary(WORST, thread::isShutdown);
            if (counted != null) {
                worst.register(rows(counted), true);
                last = counted;
                countedRevision = revision;
            }
        } catch (StoppedException e) {
            // It is closed.
        } catch (RuntimeException | OutOfMemoryError e) {
            // If this were thrown, it would not be counted again.
            LOG.log(System.Logger.Level.WARNING, "cannot count the skew of workloads for the metrics; trying again", e);
        }
    }

    private static List<MultiGauge.Row<?>> rows(SpreadSummary counted) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        Set<Tags> before = new HashSet<>();
        for (SpreadSummary.Worst each : counted.worst()) {
            Tags tags = tags(each.hard())
                    .and("namespace", label(each.namespace()))
                    .and("kind", label(each.kind()))
                    .and("name", label(each.name()))
                    .and("topology_key", label(each.topologyKey()));
            // Names that are too long may be equal when they are cut.
            if (before.add(tags)) {
                rows.add(MultiGauge.Row.of(tags, each.excess()));
            }
        }
        return rows;
    }

    private static String label(String text) {
        return text.length() > LONGEST_LABEL ? text.substring(0, LONGEST_LABEL) : text;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
