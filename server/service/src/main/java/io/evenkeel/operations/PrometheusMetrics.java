package io.evenkeel.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A registry with the metrics of a server and of the JVM, in the formats of Prometheus. */
public final class PrometheusMetrics implements AutoCloseable {
    private static final ExpositionFormats FORMATS = ExpositionFormats.init();

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();

    public PrometheusMetrics() {
        List<MeterBinder> jvm = List.of(
                collections,
                new JvmMemoryMetrics(),
                new JvmThreadMetrics(),
                new ProcessorMetrics(),
                new UptimeMetrics());
        jvm.forEach(each -> each.bindTo(registry));
    }

    public MeterRegistry registry() {
        return registry;
    }

    /**
     * The format to use for a client.
     *
     * @param accepted its Accept header; null if there is none
     */
    static ExpositionFormatWriter format(@Nullable String accepted) {
        return FORMATS.findWriter(accepted);
    }

    /** The current values. */
    byte[] scrape(ExpositionFormatWriter format) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try {
            format.write(body, registry.getPrometheusRegistry().scrape());
        } catch (IOException e) {
            throw new UncheckedIOException("an array takes all bytes", e);
        }
        return body.toByteArray();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
