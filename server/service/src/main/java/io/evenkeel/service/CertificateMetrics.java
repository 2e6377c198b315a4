package io.evenkeel.service;

import io.evenkeel.access.AccessControl;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** Registers the expiry times of certificates, for alerts. */
final class CertificateMetrics implements AutoCloseable {
    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();

    CertificateMetrics(AccessControl access, MeterRegistry registry) {
        this.registry = registry;
        add(access, "server", AccessControl::certificateEndsSeconds);
        add(access, "client-ca", AccessControl::clientCaEndsSeconds);
    }

    private void add(AccessControl access, String of, ToDoubleFunction<AccessControl> ends) {
        if (Double.isFinite(ends.applyAsDouble(access))) {
            meters.add(TimeGauge.builder("evenkeel.certificate.ends", access, TimeUnit.SECONDS, ends)
                    .description("When a certificate expires, as Unix time")
                    .tag("of", of)
                    .register(registry));
        }
    }

    @Override
    public void close() {
        meters.forEach(registry::remove);
    }
}
