package io.evenkeel.admission;

import io.evenkeel.operations.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import javax.net.ssl.SSLContext;

/**
 * Serves the webhook over HTTPS. Its work has its own threads, a limited queue and limited memory, so that gRPC calls
 * hardly notice it. A review that takes too long is allowed without warnings; if there are too many, they are refused,
 * which the webhook's failure policy ignores.
 */
public final class AdmissionServer implements AutoCloseable {
    /** The path of the webhook. */
    public static final String PATH = "/warnings";

    /** Less than the second that an API server waits. */
    private static final Duration WITHIN = Duration.ofMillis(800);

    private final HttpServer server;
    private final ReviewPage page;

    private AdmissionServer(HttpServer server, ReviewPage page) {
        this.server = server;
        this.page = page;
    }

    /**
     * Starts the server.
     *
     * @throws IOException if it cannot listen on the address
     */
    public static AdmissionServer start(InetSocketAddress listen, SSLContext tls, PodCheck check) throws IOException {
        return start(listen, tls, check, WITHIN);
    }

    /** @param within how long a review may take */
    static AdmissionServer start(InetSocketAddress listen, SSLContext tls, PodCheck check, Duration within)
            throws IOException {
        ReviewPage page = new ReviewPage(check, within);
        try {
            return new AdmissionServer(HttpServer.start("evenkeel-admission", listen, tls, page), page);
        } catch (IOException | RuntimeException e) {
            page.close();
            throw e;
        }
    }

    /** The port that it listens on. */
    public int port() {
        return server.port();
    }

    @Override
    public void close() {
        try {
            server.close();
        } finally {
            page.close();
        }
    }
}
