package io.evenkeel.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Gauge;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that pages are generated again after a while, and not for each request. */
final class MetricsPagesTest {
    private static final ExpositionFormatWriter TEXT = PrometheusMetrics.format(null);
    private static final ExpositionFormatWriter OPEN =
            PrometheusMetrics.format("application/openmetrics-text; version=1.0.0");

    private final AtomicInteger read = new AtomicInteger();
    private final PrometheusMetrics metrics = new PrometheusMetrics();
    private long now = -1;
    private final MetricsPages pages = new MetricsPages(metrics, () -> now);

    MetricsPagesTest() {
        Gauge.builder("read", read, AtomicInteger::incrementAndGet).register(metrics.registry());
    }

    @AfterEach
    void close() {
        metrics.close();
    }

    @Test
    void page_isMadeAgain_onceItIsOld() {
        String first = text(pages.page(TEXT, false));
        assertTrue(first.contains("\nread 1.0\n"), first);
        now += Duration.ofMillis(100).toNanos();
        assertEquals(first, text(pages.page(TEXT, false)));
        now++;
        String second = text(pages.page(TEXT, false));
        assertTrue(second.contains("\nread 2.0\n"), second);
    }

    @Test
    void page_isInTheFormAskedFor() throws IOException {
        byte[] zipped = pages.page(TEXT, true);
        String inflated = text(new GZIPInputStream(new ByteArrayInputStream(zipped)).readAllBytes());
        assertTrue(inflated.contains("\nread 1.0\n"), inflated);
        assertTrue(text(pages.page(OPEN, false)).endsWith("# EOF\n"));
        String plain = text(pages.page(TEXT, false));
        assertTrue(plain.contains("\nread 3.0\n") && !plain.contains("# EOF"), plain);
        assertEquals(3, read.get());
    }

    private static String text(byte[] page) {
        return new String(page, StandardCharsets.UTF_8);
    }
}
