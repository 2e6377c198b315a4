package io.evenkeel.operations;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.zip.GZIPOutputStream;

/**
 * The metrics pages, in each format, plain and compressed. Generating a page takes milliseconds, and anyone who reaches
 * the port can request one. So a recent page is reused, and frequent requests cannot exhaust the processors.
 * Thread-safe.
 */
final class MetricsPages {
    private static final Duration LONGEST_USED = Duration.ofMillis(100);

    /** A format. There are only a few, whatever clients request. */
    private record Form(String contentType, boolean compressed) {}

    private final PrometheusMetrics metrics;
    private final LongSupplier clock;
    private final Map<Form, RecentValue<byte[]>> pages = new ConcurrentHashMap<>();

    /** @param clock in nanoseconds, like {@link System#nanoTime} */
    MetricsPages(PrometheusMetrics metrics, LongSupplier clock) {
        this.metrics = metrics;
        this.clock = clock;
    }

    /** The values of now or of a moment ago. Callers must not change the bytes. */
    byte[] page(ExpositionFormatWriter format, boolean compressed) {
        return pages.computeIfAbsent(
                        new Form(format.getContentType(), compressed),
                        form -> new RecentValue<>(LONGEST_USED, () -> make(format, compressed), clock))
                .get();
    }

    private byte[] make(ExpositionFormatWriter format, boolean compressed) {
        byte[] body = metrics.scrape(format);
        return compressed ? compressed(body) : body;
    }

    private static byte[] compressed(byte[] body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException("an array takes all bytes", e);
        }
        return bytes.toByteArray();
    }
}
