package io.evenkeel.service;

import io.evenkeel.access.AccessControl;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** Registers the expiry times of certificates, for alerts. */
record CertificateMetrics(AccessControl access, MeterRegistry registry) {
    void register() {
        add("server", AccessControl::certificateEndsSeconds);
        add("client-ca", AccessControl::clientCaEndsSeconds);
    }

    private void add(String of, ToDoubleFunction<AccessControl> ends) {
        if (Double.isFinite(ends.applyAsDouble(access))) {
            TimeGauge.builder("evenkeel.certificate.ends", access, TimeUnit.SECONDS, ends)
                    .description("When a certificate expires, as Unix time")
                    .tag("of", of)
                    .register(registry);
        }
    }
}
