package io.evenkeel.operations;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Serves {@code /livez}, {@code /readyz} and {@code /metrics} over HTTP. Writing an answer does not wait for the client
 * to read it. Clients take turns: after each answer, a client that sent many requests at once waits for all others.
 */
public final class OperationsPages extends Handler.Abstract {
    private static final String THREADS = "evenkeel-http";
    private static final String PLAIN = "text/plain; charset=utf-8";
    private static final String GZIP = "gzip";

    private final ServerHealth health;
    private final MetricsPages metrics;

    private OperationsPages(ServerHealth health, MetricsPages metrics) {
        this.health = health;
        this.metrics = metrics;
    }

    /**
     * Starts to serve.
     *
     * @throws IOException if it cannot listen on the address
     */
    public static HttpServer start(InetSocketAddress listen, ServerHealth health, PrometheusMetrics metrics)
            throws IOException {
        return HttpServer.start(THREADS, listen, null, pages(health, metrics));
    }

    /** @param answeredWithin how long a connection may take for each request, including the wait before it */
    static HttpServer start(
            InetSocketAddress listen, ServerHealth health, PrometheusMetrics metrics, Duration answeredWithin)
            throws IOException {
        return HttpServer.start(THREADS, listen, null, pages(health, metrics), answeredWithin);
    }

    private static OperationsPages pages(ServerHealth health, PrometheusMetrics metrics) {
        return new OperationsPages(health, new MetricsPages(metrics, System::nanoTime));
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        request.getComponents().getExecutor().execute(() -> {
            try {
                answer(request, response, callback);
            } catch (RuntimeException e) {
                callback.failed(e);
            }
        });
        return true;
    }

    private void answer(Request request, Response response, Callback callback) {
        byte[] body = answer(request, response);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        response.write(true, ByteBuffer.wrap(body), callback);
    }

    /** Sets the status and the headers of the response, and returns its body. */
    private byte[] answer(Request request, Response response) {
        if (!HttpMethod.GET.is(request.getMethod()) && !HttpMethod.HEAD.is(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
            return plain(response, HttpStatus.METHOD_NOT_ALLOWED_405, "method not allowed: use GET or HEAD\n");
        }
        String path = request.getHttpURI().getCanonicalPath();
        return switch (path == null ? "" : path) {
            case "/livez" -> checks("livez", health.liveness(), request, response);
            case "/readyz" -> checks("readyz", health.readiness(), request, response);
            case "/metrics" -> metrics(request, response);
            default -> plain(response, HttpStatus.NOT_FOUND_404, "not found: use /livez, /readyz or /metrics\n");
        };
    }

    private static byte[] checks(String name, List<Check> checks, Request request, Response response) {
        CheckReport report = CheckReport.of(name, checks);
        boolean verbose = Request.extractQueryParameters(request).get("verbose") != null;
        return plain(
                response,
                report.passed() ? HttpStatus.OK_200 : HttpStatus.SERVICE_UNAVAILABLE_503,
                report.text(verbose));
    }

    private byte[] metrics(Request request, Response response) {
        HttpFields asked = request.getHeaders();
        ExpositionFormatWriter format = PrometheusMetrics.format(asked.get(HttpHeader.ACCEPT));
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, format.getContentType());
        boolean compressed = asked.contains(HttpHeader.ACCEPT_ENCODING, GZIP);
        if (compressed) {
            response.getHeaders().put(HttpHeader.CONTENT_ENCODING, GZIP);
        }
        return metrics.page(format, compressed);
    }

    private static byte[] plain(Response response, int status, String text) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, PLAIN);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
