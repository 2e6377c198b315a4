package io.evenkeel.cli;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** Serves the metrics of the server and of its JVM to Prometheus: {@code GET /metrics} over HTTP. */
final class PrometheusEndpoint implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final HTTPServer server;

    /** @throws IOException where it cannot listen at the address */
    PrometheusEndpoint(InetSocketAddress listen) throws IOException {
        server = HTTPServer.builder()
                .inetAddress(listen.getAddress())
                .port(listen.getPort())
                .registry(registry.getPrometheusRegistry())
                .buildAndStart();
        List<MeterBinder> jvm = List.of(
                collections,
                new JvmMemoryMetrics(),
                new JvmThreadMetrics(),
                new ProcessorMetrics(),
                new UptimeMetrics());
        jvm.forEach(each -> each.bindTo(registry));
    }

    MeterRegistry registry() {
        return registry;
    }

    /** The port that it listens on. */
    int port() {
        return server.getPort();
    }

    @Override
    public void close() {
        server.close();
        collections.close();
        registry.close();
    }
}
